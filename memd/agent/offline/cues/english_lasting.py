"""How people say that something holds from now on, in English: pieces of `english_work`."""

from __future__ import annotations

from memd.agent.offline.cues.english_customs import FOR_KIND, MINE, NO_OBJECT, STICKS, TEAM_WAY, TELL_ME, TO_ME, UNASKED
from memd.agent.offline.cues.tables import words

REQUEST = words(
    r"(?<!do you )(?<!cant )(?<!dont )(?<!i )(?<!you )(?<!to )"
    r"(?<!ill )(?<!we )(?<!that )(?<!user )(?<!will )remember"
    rf"{NO_OBJECT}(?! (?:to|me|my (?:choice|login|device|settings?|password)|when|how (?:we|i|to)|what|why|where"
    r"|who|the (?:time|bug|issue)|last)\b)(?!-)",
    r"keep (?:it |that |this |these |one thing |two things |a few things )?in mind"
    r"(?!(?: that)? (?:this|the|it|these|those|an?|each) (?:[\w-]+ ){0,2}(?:may|can|might|could)\b)",
    r"(?:two|three|a few|some|couple of|\d) things to (?:keep in mind|remember|note)",
    r"(?:note|keep|save|store|remember|write) (?:these|those|down|the following"
    r"|(?:these |those |a )?(?:two|three|few|couple of|some) (?:things|points|bits|items))(?: (?:two|three|things"
    r"|down))*(?= ?[:.,]|$)",
    r"(?:make|take) (?:a |a mental )?note",
    (
        r"(?<!dont )(?<!to )(?<!we )(?<!i )(?<!you )(?<!they )(?<!cant )"
        r"(?:(?:save|store|record|write|jot|file) (?:this|that|it)(?: one)?(?: (?:down|away))"
        r"|(?:save|store|note|record|file) (?:this|that|it)(?: one)?)(?: (?:for (?:later|next time|future))"
        r"|(?= ?[:,]|$))"
    ),
    (
        r"(?:one|a|some) (?:more )?things? (?:to|for you to|worth) (?:hang on to|keep|know|remember"
        r"|hold on to|note|knowing|remembering)(?: for| about)?"
    ),
    r"(?:to|in|into|for) your (?:long-?term )?(?:notes|memory|memories|notebook)",
    r"(?:one|another|something|a (?:note|rule|thing))(?: more| thing)* for (?:the future|next time)",
    r"(?:notes?|rules?|thing|couple of (?:notes|rules|things)) for you",
    r"(?:hang|hold) on to (?:this|these|that)(?: one)?(?: for|(?= ?[:,.]))",
    r"(?:something|things?|rules?|one|this|these|two|notes?) (?:to |you can )?(?:carry|take|bring) (?:over|along"
    r"|with you)",
    r"for (?:next|later|other|future|coming) (?:sessions?|days|chats?|conversations?)",
    r"(?:second|third|fourth|fifth|umpteenth|last) (?:and (?:last|final) )?time (?:that )?(?:i|im|ive) (?:say"
    r"|saying|said"
    r"|write|writing|written|type|typing|tell|telling|ask|asking)(?: (?:this|it|that|you))?(?: down)?",
    r"(?<!i )(?<!you )(?<!to )keep (?:this|that|these) for (?:later|next time|other (?:days|sessions))",
    r"note (?:to self|for (?:next time|later|the future)|for future)",
    r"for future reference",
    (
        r"(?:please )?(?:memori[sz]e|bear in mind|commit (?:this|that) to memory|add (?:this "
        r"|that )?to (?:your )?memory|put (?:this |that )?in (?:your )?memory)"
    ),
    r"(?<!i )(?<!you )dont (?:ever )?forget that",
)

DURABLE = words(
    r"(?:can|could|would) (?:you|u) (?:please |pls |just )?(?:never|stop)",
    r"from (?:now|here|this point|today)(?: on)?(?: out| in| onwards?| forward)",
    r"from (?:now|here|this point) on|from this point(?=,? (?:i|we|you|please|no|only|all|every)\b)"
    r"|from today(?: on(?:wards?)?)?(?=[ ,])",
    r"(?:going|moving) forward",
    r"for (?:the )?future(?! (?:versions?|releases?|use|work|extension))",
    r"once and for all|(?:i dont care|no matter|doesnt matter) (?:which|what|where|how)\b",
    r"as a (?:matter of )?(?:habit|routine|matter of course|matter of principle)(?=[ :,]|$)",
    r"next time,? (?:please )?(?:\w+) me (?:an?|the|some|which|what|how|before|first)",
    r"as a (?:general |standing |house )?rule",
    r"(?:make|making) (?:it|that|this) (?:a|the|your) (?:habit|default|rule|norm|standard)",
    r"(?:every|each|any) ?(?:single )?time you",
    r"whenever you",
    r"(?<!if )(?<!has )(?<!have )(?<!did )(?<!than )ever(?: again)?\W*$",
    r"any file,? any language",
    (
        r"(?:across|throughout|anywhere in|everywhere in|all over) (?:this|the|our|my|all (?:of )?(?:our"
        r"|my)) (?:whole |entire )?(?:repos?|repository|repositories|project|projects|codebase|monorepo"
        r"|org|team|company|shop)"
    ),
    (
        r"(?:our|the team|team|house|company) (?:convention|rule|policy|standard|style|habit"
        r"|practice)s? (?:is|are)(?! \w+ed)"
    ),
    (
        r"(?:that|this)(?:s| is) (?:exactly )?(?:how|the way) (?:it is|its done|we|every|all|things|i want"
        r"|i like|you should)"
    ),
    (
        r"(?:that|this|it|same|which)? ?(?:also )?(?:goes|applies|holds|counts|stands) (?:for|to) (?:whatever|new"
        r"|everything|anything|both|you|all|any|every) (?:you|else|other|future|later|in general)(?: \w+)?"
    ),
    (
        r"off[- ]limits|hands[- ]off(?! (?:the ball))|not your (?:job|call)|(?:only )?(?:if|when|unless"
        r"|until) i (?:explicitly |actually )?(?:ask|say so|tell you)"
    ),
    r"(?:ask|check|confirm)(?: with me)? before (?:you )?\w+ing (?:any|things|stuff|more|new|anything)",
    (
        r"(?:any|every|all|each) \w+ (?:that )?you (?:make|write|send|show|give|produce|open|create|add"
        r"|generate|draw|touch|push|commit|post|propose)\b"
    ),
    r"i (?:dont|do not) (?:ever )?want to see",
    r"without exception|no exceptions",
    r"(?:unless|until) i (?:explicitly )?(?:ask|say|tell|request)(?: so| otherwise| for it| you)?",
    r"without (?:asking|checking with|my ok|my say-so|confirming with|talking to) ?(?:me)?",
    r"(?:if|when|whenever) (?:youre|you are|you feel|in) (?:unsure|not sure|in doubt|doubt|uncertain)",
    TO_ME,
    MINE,
    TEAM_WAY,
    STICKS,
    UNASKED,
    TELL_ME,
    r"each time(?=[,.]|$)",
    r"(?:thats|this is|its|that is) (?:our|the|my) (?:house )?(?:way|rule|policy|convention|standard|practice"
    r"|default|habit)",
    r"(?:always )?(?:ask|check with|confirm with) (?:me )?(?:first|before)",
    r"(?:always|every (?:single )?time)\W*$",
)

ONWARDS = words(
    r"from (?:now|here|this point|today)(?: on)?(?: out| in| onwards?| forward)?|(?:going|moving) forward"
    r"|without exception"
    r"|no exceptions|off[- ]limits|ever(?: again)?\W*$",
)

LASTING = words(
    r"even (?:if|when) (?:i|you|we|it|the)",
    r"(?:before|when|after|if) you \w+ (?:any|an?|new)\b",
    FOR_KIND,
    r"(?:dont|do not|never) [^,.]{2,60} (?:ever )?again",
    (
        r"(?:in (?:the )?future|henceforth|hereafter|permanently|for good|in general|across the board"
        r"|no matter (?:what|which|how))"
    ),
    r"(?:for )?(?:the )?next time(?! (?:i|we|it|the|someone|a|an|they|user))",
    r"(?:all|every|any) (?:future|new|further|subsequent)",
    r"(?:house|standing|general|team|golden) rule",
    (
        r"we (?:dont|do not|never|always|only|squash|rebase|merge|use|write|keep|name|prefer|avoid|review"
        r"|tag|branch) (?!(?:do |use |have )?(?:any of )?(?:it|that|this|them|those)\b)[^,.]{2,40} (?:here"
        r"|in this repo|on this team|around here)(?=$|[,.;]| so)"
    ),
    r"(?:second|third|fourth|\w+) times? (?:now|already)(?! (?:it|that|the))",
    (
        r"(?:in|on|for) (?:this|our|my|all (?:of )?(?:our|my)) (?:whole |entire )?(?:repos?|repository"
        r"|repositories|project|projects|codebase|monorepo|org|team|company|shop)"
    ),
    r"when(?:ever)? i (?:write|ask|say|talk|push|send|give|paste|show|speak|review|report)",
    r"(?:when(?:ever)?|if) (?:something|anything|things|a \w+|an \w+|theres|there is|there are)",
    r"always",
    r"never",
    r"whenever",
    r"when(?:ever)? (?:you|we|youre)(?= (?!get|see|look|ran|were|said))",
    r"everywhere",
    r"if you (?:ever|need|want|touch|change|edit|add|write|open|create|are|find)",
    r"before (?:you |we )?(?:commit|push|merg|open|deploy|run|delet|chang|edit|touch)\w*",
    r"after (?:you |we )?(?:commit|push|merg|open|deploy|chang|edit|touch)\w*",
    r"by default",
    r"default to",
    r"anymore|any more",
    r"no more",
    r"whatever you",
    r"you touch(?:ed)?|you chang(?:e|ed)|you (?:just )?edit(?:ed)?",
    r"only ever",
    r"period",
    r"full stop",
    r"stuff",
    r"until further notice",
    r"we (?:dont|do not|never|always|only)(?: ever)?",
)

UNIVERSAL = words(
    r"every(?! (?:mon|tues|wednes|thurs|fri|satur|sun)day| day| hour| minute| second| night| morning|\d| \d)",
    r"any",
    r"all",
    r"each",
    r"everything",
    r"anything",
    r"at all",
)
