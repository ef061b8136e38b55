"""How people speak of customs, of who may do what, and of things of a kind, in English: pieces of `english_work`."""

from __future__ import annotations

from memd.agent.offline.cues.english_parts import CRAFT, FILLER

NO_OBJECT = (  # "remember the last tab" asks a program for something, "remember the box is shared" an agent
    r"(?! (?:the|an?|each|every|which|users?|their|its|selected) (?![^,.]*\b(?:is|are|was|must|should|needs?|has"
    r"|have|goes"
    r"|lives?|belongs?|runs?|never|always|only|cant|dont|doesnt)\b))"
)

TO_ME = (  # what the agent does in every conversation
    r"(?:when(?:ever)?|if|each time|every time) you (?:\w+ )?(?:give|show|send|tell|talk|write|answer|explain|report"
    r"|hand"
    r"|present|reply|ping|ask|describe|draw|quote|paste|suggest|propose|compare|summari[sz]e|list|plot|cite)\b"
    r"|\w+s (?:that |which )?you (?:make|give|show|send|write|draw|plot|generate) (?:for |to )?me"
)
MINE = (  # who may do what
    r"(?:is|are|stays?|remains?) (?:only |strictly |always )?(?:my|our|\w+s|the [\w ]{2,20}s) (?:job|business"
    r"|department"
    r"|decision)\b|(?:need|needs|require|requires) my (?:ok|okay|approval|consent|go-?ahead|say-?so|sign-?off)"
    r"|(?:only )?(?:after|once|when|until) (?:ive|i have|i) (?:said|say|given|give|agreed|approved|confirmed)(?: it"
    r"| you"
    r"| a| an| my| the)*(?: (?:yes|so|ok|okay|go|go-?ahead|word))?"
)
TEAM_WAY = (
    r"we (?!(?:were|had|did|got|saw|have|are|see|need)\b)\w+ [^.]{2,60}\b(?:everywhere|throughout|across the board)|"
    r"(?:on|in|around) (?:this|our|my) (?:team|repo|project|codebase|shop|company|lab|group|house|org|office)"
    r",? (?:we|nobody|no one|everyone|everything|all|it|(?!(?:theres|is|was|this|has|does|its"
    r"|thats)\b)\w+s) (?!(?:had|have|has|were|was|are|is|did|got|saw|see)\b)"
    r"|(?:nobody|no one) (?:\w+s|may|should|can|ever) [^.]{3,60}\bhere"
    r"|we (?:dont|do not|never|only|always) (?!(?:do |use |have )?(?:any of )?(?:it|that|this|them"
    r"|those)\b)(?:do |use |have )?[^,.]{2,40} (?:here|in this (?:house|codebase|team"
    r"|repo))"
    r"|(?:house|team|company|lab) (?:style|rule|policy|convention|standard)|(?:new|one more|another|simple"
    r"|general) rule"
    r"|(?:is|are) (?:never|always|only) [^,.]{2,40} (?:in|on) (?:our|this) (?:code|codebase|project|repo|team"
    r"|product)"
    r"|(?:applies|holds|goes|counts) (?:everywhere|always|generally|in general|for all|to all|for every|for any)"
    rf"|{CRAFT} (?:go|goes|are|is|gets?|need|needs|have|has|start|starts|end|ends) [^,.]{{2,40}} here"
    r"|we (?:use|write|keep|name|do|put|have|spell|tag|squash|rebase|sign|test|run|format)\b[^,.]{2,60} (?:in|for"
    r"|across|on)"
    r" (?:all|every|any|everything|each)"
    r"|\w+s (?:must|should|have to|need to) [^,.]{2,40} (?:in (?:this|our) (?:project|repo|codebase|team)|here)"
)
TELL_ME = r"(?:if|when) (?:an?|any|something|anything|one of) [^.]{3,60}\b(?:tell|ask|warn|ping|show|let) me"
UNASKED = (  # of what nobody told the agent to do
    r"(?:dont|never|not|stop|quit|no) [^,.]{2,50} (?:on your own|by yourself|unasked|unprompted|behind my back"
    r"|without (?:being )?ask\w+)"
)
STICKS = (
    r"same (?:goes )?for (?:any|every|all|each|our)\b|so (?:it|that|this) sticks"
    r"|get (?:this|that|it) into your|for the (?:third|fourth|last|umpteenth) time"
)
TONE = (  # of what the agent says
    r"(?:enthusiasm|exclamation marks?|emojis?|apologies|flattery|praise|preambles?|recaps?|disclaimers|caveats"
    r"|small ?talk"
    r"|pleasantries|filler|essays|lectures|jargon|chatter|chit-?chat|buzzwords|superlatives)"
)
KIND = (  # any of a kind: "a proof", "every variable", "cluster changes"
    r"(?:(?:an?|any|every|each|no|all|only) (?:[\w-]+ ){0,3}?[\w-]+|(?:[\w-]+ ){0,2}[\w-]{2,}s)"
)
PREPOSED = r"(?:in|on|of|for|from|with|to)"
FOR_KIND = (  # "for graphs use ..."
    rf"^{FILLER}(?:for|in) (?!(?:this|that|these|those|the|his|its)\b)(?:[\w-]+ ){{0,2}}[\w-]+s,? (?:always "
    rf"|please )*"
    r"(?:use|prefer|write|make|take|give|keep|put)"
)
VERBLESS = (  # "percentages in reports always with one decimal"
    rf"(?!(?:it|this|that|is|was|has|does|he|she|i|we|they|you|there|the|which|who)\b)(?:[\w-]+ ){{0,2}}[\w-]{{3,}}"
    rf"(?: {PREPOSED} [\w-]+(?: [\w-]+)?)?,? (?:always|never|only) "
    r"(?:with|without|in|as|before|after|to|on|from|by|at|of)\b"
)
BOUNDS = (  # of a norm: what nobody says of things as they are
    r"must|mustnt|must not|ha(?:s|ve) to|should(?! (?:pass|work|be (?:fine|green|ok|okay|there|done)|have|now"
    r"|already)\b)|shouldnt"
    r"|dont need|dont get|get (?!\w+(?:ed|t)\b)\w+|never(?=$)|go(?! (?:red|wrong|down|green|through|missing|away"
    r"|out)\b)|stay(?! (?:red|green)\b)"
    r"|belong|max|at most|tops|no (?:more|longer) than|under \d+|up to \d+|as [\w-]+"
)
NORMS = (
    r"only|always|never|goes?|are|is|gets?|comes?|belongs?|stays?|carry|carries|needs?|with|without|before|after|must"
    r"|should|have|has|we dont|we do not|i want|i need|tops|at most|max"
)
