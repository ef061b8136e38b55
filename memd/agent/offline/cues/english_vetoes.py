"""How people say what is nothing to learn from, in English: lower case, no apostrophes ("dont")."""

from __future__ import annotations

import re

from memd.agent.offline.cues.english_parts import FILLER
from memd.agent.offline.cues.english_texts import FOR_OTHERS, HEARSAY, REPORTED, SPECIFIES
from memd.agent.offline.cues.tables import Vetoes, words

_BUSY = (  # what the speaker does at the moment
    r"(?:im|i am) (?:still |just |currently )?(?:looking|debugging|watching|waiting|testing|checking|comparing"
    r"|editing"
    r"|deploying|recording|presenting|running)"
)
_PARTS = (
    r"(?:teacher|auditor|customer|user|client|interviewer|examiner|critic|boss|lawyer|pirate|judge|attacker|hacker"
    r"|recruiter|investor|reviewer|beginner|junior|senior|child|king|villain|wizard|robot|doctor|manager|engineer"
    r"|expert)"
)
_PLAYS = (  # gives the agent, or takes, a part in a play
    rf"role[- ]?play(?:ing)?|persona|(?:in|out of) character|(?:you are|youre|act as|act like|be"
    rf"|play)(?: now)? (?:an?|the|my"
    rf"|our) (?:[\w-]+ ){{0,2}}{_PARTS}"
)
_UNREAL = (  # "if the launch was moved we'd quit"
    r"if (?!you(?:re)?\b)[^,.]{2,50}? (?:was|were|had|ever|\w+ed|got)\b[^.]{0,60}\b(?:wed|id|theyd|hed|shed|youd|itd"
    r"|(?:we|i|they|you|it) would)(?! (?:rather|prefer|like|appreciate|want))"
)

VETOES = Vetoes(
    question=re.compile(
        rf"\?\W*$|\bor not\W*$|^{FILLER}(?:quick q(?:uestion)?[\s,:]+|question[\s,:]+|wait[\s,]+|or[\s,]+"
        rf"|then[\s,]+|hmm+[\s,]+)*"
        r"(?:what(?:s|re)?(?! (?:i|we|you|they)\b)|why|how(?! to\b.*\b(?:is|are|lives?)\b)(?:s|re)?|where(?:s|re)?"
        r"|when(?:s)?(?= (?:is|are|was|does|did|do|will"
        r"|should|can|would))|who(?:s)?|which|whose"
        r"|is|are|am i|was|were(?= (?:we|you|they|i|it|there|these|those|the|any|all|your|our|my)\b)|does|did|has"
        r"|could|should|would|shall|isnt|arent|wasnt|werent|doesnt|didnt"
        r"|hasnt|havent|shouldnt|couldnt|wouldnt"
        r"|will (?!do\b)|wont|can(?! do\b)|cant (?:i|we|you|it|they)|do (?:you|we|they|i|people|users"
        r"|customers|these|those|any (?:of|\w+s))\b|dont (?:you|we|they|i) |have (?:you|we|they|i|the)|may i"
        r"|any (?:idea|chance"
        r"|reason|clue|thoughts|way)"
        r"|wonder(?:ing)?|im wondering|i wonder|im curious|curious|not sure (?:if|whether|why|how|what)"
        r"|(?:remind|tell|show) me (?:what|how|where|why|which|if|whether|when)|do you know|explain (?:why"
        r"|how|what)|thoughts on)\b"
    ),
    polite=re.compile(
        r"^(?:\w+[\s,]+){0,3}(?:can|could|may) (?:i|we) (?:please )?(?:get|have|see)\b.*\b(?:always|each time you"
        r"|every time you"
        r"|whenever|from now|in future)\b"
        r"|^(?:\w+[\s,]+){0,3}(?:can we (?:agree|please|just agree)|could we (?:agree|please)|lets agree)\b"
        r"|^(?:\w+[\s,]+){0,3}(?:can|could|would|will) (?:you|u|we)(?: please| pls| just| maybe"
        r"| also)* (?:always|never|stop|quit|not|avoid|from now|keep|remember|start|refrain)\b"
    ),
    one_off=words(
        (
            r"currently|local changes|uncommitted|half[- ]done|in the middle of|wip"
            r"|hold off|not now|at this (?:point|stage)|in the meantime|meanwhile|(?:until|till) (?!i (?:ask"
            r"|say|tell|explicitly)|further|(?:an?|some|any|the) [\w-]+ (?:shows?|proves?|says? (?:so|otherwise)"
            r"|asks?|complains?))\w+|this (?:week|sprint|month|round|pass|step|iteration|release"
            r"|milestone)|for the rest of (?:the|this)|to (?:start|begin) with|as a first step|at first|so far"
            r"|before (?:we|you|i) merge this|in (?:a|one) (?:go|commit|file)|the (?:first|second|third"
            r"|last) (?:one|part|option|two|three)|while (?:i|im|were|we|youre|you|the|they)"
        ),
        (
            r"for (?:now|the moment|the time being|today|this (?:one|pr|run|time|change|branch|file|commit"
            r"|session|release|case|fix|task|test|ticket|spike|demo|sprint)|the demo|tonight)"
        ),
        r"(?:just |only )?this (?:time|once)(?: only)?",
        r"just (?:here|for this|the (?:first|second|last|one)|this (?:one|time|once|file))",
        r"right now",
        r"(?<!from )today|tonight|this (?:morning|afternoon|evening)",
        r"(?:not |dont .{1,30}|just )?yet",
        r"temporar(?:y|ily)",
        (
            r"(?:until|till) (?:tomorrow|monday|then|later|im back|i(?:m| am) done|lunch|friday|i(?:ve| have)"
            r"|that|the|this)"
        ),
        r"(?:we|i)(?:ve| have)? (?:found|got|have|seen) (?:it|enough|the (?:bug|cause|culprit))(?: now"
        r"| already)?(?=$|[,.])",
        r"throwaway|prototype|spike|poc|trivial|quick and dirty|scratch (?:file|script)",
        (
            r"(?:in|of|to|from|for|at|under|inside|with|on|into) (?:this|that) (?!(?:repo|repository|project|codebase"
            r"|monorepo|team|company|shop|org|house|lab|group|office|kind|sort|type|way|one:|regard|reason|again"
            r"|last|next|same|first|lib|library|package|broker|server|cluster|box"
            r"|machine|host|environment|account|device"
            r"|is|was|are|were|has|and|or|but|as|so|in|on|at|to|for|from|by)\b)[a-z][\w-]+"
        ),
        r"as a (?:quick )?(?:hack|workaround|one-?off|stopgap)",
        r"one-?off",
        r"(?:we|i)ll (?:fix|clean|do|sort|revisit|come back to|handle) (?:it|that|this|the rest)",
        r"first(?= then|,)",
        r"(?<!day )(?<!days )(?<!week )(?<!weeks )(?<!month )(?<!months )(?<!year )(?<!years )(?<!hours )"
        r"(?<!note for )later"
        r"(?! (?:sessions?|days|chats?|conversations?)\b)"
        r"|another day|in a (?:sec|minute|bit)",
        r"while (?:im|i am|were|we) (?:debugging|testing|here|at it)",
        r"before lunch",
        r"i (?:just |only )?need (?:it|this|that|the|an?|them|these|those)(?: [\w-]+){0,2} (?:before|for|by|in"
        r"|within) (?:my|the"
        r"|this|a|an|\d|tonight|noon|lunch)(?! (?:audit|auditors|books|records|taxes|archive)\b)",
        _BUSY,
        r"while im (?:out|away|on)",
    ),
    hypothetical=words(
        (
            r"if (?:i|we|you|it|this|that|they|he|she|there|the \w+)(?: \w+)? were(?! (?:to )?(?:ever|using"
            r"|doing|changing|adding))"
        ),
        r"if (?:i|we|you|they|it|someone|anyone) (?:had|could|only)",
        r"if i was (?:a|an|the|in|you)",
        r"(?:were|had) i (?:a|an|to|in)",
        r"what if",
        (
            r"suppose|supposing|hypothetical(?:ly)?|imagine|pretend(?:ing)?|in theory|theoretically"
            r"|in an ideal world|in a perfect world"
        ),
        r"thinking (?:out loud|aloud)|just musing|daydream(?:ing)?|day dream",
        (
            r"id (?:probably |maybe )?(?:want|have|be|love|use|make|say|need|go with|never"
            r"|always)(?= .{0,80}\bif\b)"
        ),
        r"(?:lets|let us) (?:say|pretend|imagine|assume)",
        r"say (?:we|i|you|the|someone) (?:had|were|was|wanted|needed|did|got)",
        r"(?:would|could|might) (?:have|ve) (?:been|had|gone)",
        r"one day|some ?day|eventually|in another life|if only",
        r"wouldnt it be",
        r"for the sake of argument|thought experiment|devils advocate",
        _PLAYS,
        _UNREAL,
    ),
    sarcasm=re.compile(
        r"^(?:lol|haha+|lmao)[\s,.!]+(?:sure|yes|yeah|great|nice)\b.*\b(?:from now on|always|never|every)\b"
        r"|^(?:oh|ah|wow)[\s,.!]+(?:(?:wow|great|nice|good|lovely|perfect|sure"
        r"|yes)[\s,.!]+)*please (?:do )?(?:always|keep|never stop)\b"
        r"|^(?:oh|ah|wow|well|yeah|yes|sure|ha+)?[\s,]*(?:oh |yeah |ah )?(?:brilliant|wonderful|fantastic"
        r"|terrific|marvell?ous|splendid|lovely|fabulous|magnificent|outstanding|stellar|genius|bravo"
        r"|congrats|congratulations|well done|great job|nice job|good job|nice one|amazing|awesome"
        r"|incredible|delightful|superb|slow clap)\b.*\b(?:please|always|never|every|keep|do|love|more"
        r"|again|next time|from now on|deleted?|broke|nuke|wipe|just what|exactly what)\b"
        r"|\b(?:just|exactly) what i (?:needed|wanted|always wanted|was hoping for)\b|\bi (?:just |really "
        r"|absolutely |so )?(?:love|enjoy|adore|live for) (?:it when|watching|waiting|when (?:you|it|my"
        r"|the)|how (?:you|it)|losing|spending|debugging|rebuilding|redoing|a good|nothing more)"
        r"|\bbecause (?:who|that|thats|of course|clearly|obviously)\b.*\b(?:needs?|wants?|worked|works"
        r"|well|fun|great|doesnt)\b|\bthats? (?:exactly |just )?what i (?:love|live for|enjoy)"
        r"|\bby all means\b.*\b(?:always|never|every|keep|next time)\b"
        r"|\b(?:the )?only way i (?:ever )?(?:want|wanna|like) to (?:work|live|code|ship)\b"
        r"|\bi(?:ve)? always (?:wanted|dreamt"
        r"|dreamed|hoped)\b.*\b(?:all my|every|hundreds?|thousands?|\d{2,}|more)\b"
        r"|\bwho needs\b|\bthanks for nothing\b|\byeah,? right\b|\bwhat could (?:possibly )?go wrong\b"
        r"|\bas if\b|[\U0001f643\U0001f644\U0001f612]|(?<!\w)/s\s*$|\bwhat a (?:treat|joy|great idea"
        r"|brilliant idea)\b"
        r"|\bwhy not (?:just )?(?:delete|drop|wipe|nuke|break|always|also)\b|\bplease (?:do )?(?:always"
        r"|keep|continue) (?:to )?(?:nuk|delet|break|wip|drop|ignor|mak\w+ things up|guess|invent|surpris"
        r"|wast|los)\w*|\bmy favou?rite (?:part|thing|hobby)\b|\bmade my (?:day|week|evening)\b"
        r"|\breal(?:ly)? helpful\b.*\b(?:again|always|never|deleted?|broke)\b"
    ),
    cheers=words(
        r"no please|keep (?:em|them|it) coming|unbelievable|incredible|oh (?:great|good|nice|yes|sure)|wow|yeah sure"
        r"|by all means|sure|thanks for|brilliant|wonderful"
        r"|fantastic|awesome|amazing|perfect|great|lovely|love|superb|well done|genius|excellent|splendid"
        r"|marvell?ous|bravo|nice|congrat\w*|thank you so much|thanks a (?:lot|bunch|million)|stellar"
        r"|outstanding|beautiful|terrific|cool cool|magnificent|impressive|delightful|what a"
    ),
    objects=words(r"dont|do not|never|stop|not|ask(?: me)?|before you|without asking|no more|please no|instead|only"),
    mishap=words(
        r"nothing (?:works|compiles|builds|runs)|broke|broken|breaks?|deleted|wiped|wiping|rewrote"
        r"|reformatted|lost|crashed|\d+ (?:new )?(?:warnings|errors|failures)|mess|red|nuked|dropped|gone"
        r"|wrong|revert(?:ed)?|took down|killed|overwrote|again|by all means|keep them coming"
    ),
    harm=words(
        r"(?:please |do |just |always |from now on |every time |feel free to |go ahead and |keep |maybe "
        r"|and |also |next time )+(?:\w+ )?(?:delete|drop|nuke|wipe|break|destroy|trash|erase|crash|lose"
        r"|corrupt|ruin|burn|torch|overwrite|rm -rf|ignore|forget|deleting|dropping|nuking|wiping|breaking"
        r"|losing|ignoring) (?:\w+ )?(?:my|our|everything|prod(?:uction)?|half|all (?:my|our|the)|random"
        r"|the (?:whole|entire|wrong|prod\w*|repo|database|db)|me|whatever i say|everything i)"
    ),
    for_others=FOR_OTHERS,
    reported=REPORTED,
    hearsay=HEARSAY,
    requirement=words(
        (
            r"retry (?:up to |at most |only )?\w+ times?|(?:always|never|dont|do not|only"
            r"|and) (?:ever )?(?:round|send|emit|sort|retry|fall back|flush|throttle|truncate|clamp|reject"
            r"|accept|hide|render|display|redirect|block|allow|expire|overwrite|abort|crash|fail|wait|append"
            r"|prepend|trim|pad|lowercase|uppercase|persist|evict|dedupe|de-?duplicate|notify|charge|bill"
            r"|refund|lock|unlock|close|open|start|stop|fire|trigger|dispatch|poll|reconnect|resume|cancel"
            r"|swallow|propagate)(?= )"
        ),
        (
            r"(?:when|if|once|on|after|before|until|unless) (?:the |a |an |any |every |each )?(?:user|customer"
            r"|client|request|response|token|session|list|value|field|input|form|server|connection|error"
            r"|timeout|failure|success|click|submit|button|queue|cache|file|page|row|record|response|payload"
            r"|key|upload|import|login|logout)s?\b"
        ),
        r"(?:make|let|force) (?:it|this|that|them|the|each|every|all|both) (?!a habit|the default|your)",
        (
            r"(?:keep|have|get) (?:it|this|that|them|the (?:button|page|header|modal|list|table|form|field"
            r"|cache|value)) "
        ),
        (
            r"(?:it|this|that|these|those|they|the (?!what\b)[\w.-]+(?: [\w.-]+)?|a [\w.-]+|each [\w.-]+"
            r"|every [\w.-]+) (?:should|must|has to|have to|needs to|need to|shouldnt|mustnt|will|can|cannot"
            r"|may|ought to)"
        ),
        (
            r"(?:button|field|form|page|modal|dropdown|checkbox|input|column|row|endpoint|route|handler"
            r"|response|request|payload|header|cookie|token|session|cache|queue|worker|job|retry|retries"
            r"|timeout|button|icon|banner|tooltip|label|screen|widget|popup|dialog|spinner|list|menu|navbar"
            r"|sidebar|function|method|class|constructor|param(?:eter)?|argument|return value|flag|option"
            r"|setting|user|users|visitor|client|server|connection|socket|thread|lock|index|key|value"
            r"|default value|status code|exception|null|none|undefined|empty string|array)s?(?= (?:should|must"
            r"|is|are|has|have|needs?|when|if|never|always|to)\b)"
        ),
        (
            r"returns? (?:an?|the|null|none|nil|\d+|true|false|empty|undefined)|throw(?:s|ing)?|raise[sd]?"
            r"|render(?:s|ed|ing)?|redirects?|emit(?:s|ted)?|persist(?:s|ed)?|expire[sd]?|serialize[sd]?"
            r"|validat(?:e|es|ed|ion)|hidden|visible|disabled|sorted|cached|clamp(?:ed)?|escape[sd]?"
            r"|idempotent|nullable|px|rem|#[0-9a-f]{3,6}"
        ),
        r"^(?!.*\b(?:nobody|no one|we (?:dont|never|always|only))\b).*here\W*$",
    ),
    specifies=SPECIFIES,
    mood=words(
        (
            r"garbage|mush|stupid|dumb|idiot(?:ic)?|moron|useless|crap|shit|sucks?|fuck\w*|wtf|damn|hell|angry"
            r"|rude|tired|exhausted|frustrat\w+|annoy\w+|hate (?:this|my life|mondays)|sick of|fed up"
            r"|losing my mind|insane|pathetic|terrible|awful|brain (?:is|fog)|hungover|stressed|grumpy"
            r"|burnt out|having a bad|bad day|long day|sorry for (?:snapping|yelling|the rant)"
        ),
    ),
)
