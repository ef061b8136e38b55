"""How people say who they are, in English: lower case, no apostrophes ("dont")."""

from __future__ import annotations

from memd.agent.offline.cues.english_parts import JOB, OCCUPATION, SPAN
from memd.agent.offline.cues.tables import Person, words

_DID = (
    r"(?:written|writing|wrote|done|doing|did|coded|coding|programmed|programming|worked|working|built|building|taught"
    r"|teaching|run|running|ran|used|using|managed|designed|maintained|led|shipped|repaired|sold|drawn)"
)
_LONG = rf"(?:{SPAN}|most of (?:a|my) (?:decade|life|career)|(?:half )?(?:a|my) (?:decade|life|career|lifetime))"
_CALLING = rf"(?:{OCCUPATION}s? by (?:day|night|training|trade|profession|education)|by (?:training|trade|profession))"
_HELD = (  # a post, now or before
    rf"(?:im|i am) the (?:[\w-]+ ){{0,4}}?{OCCUPATION}|(?:^|i )used to be an? (?:[\w-]+ ){{0,3}}?{OCCUPATION}"
    rf"|i was an? (?:[\w-]+ ){{0,3}}?{OCCUPATION}(?= (?:til|till|until|before|for|in)\b)"
)
_ARRIVED = (
    r"i (?:just |recently |only )?(?:joined|moved (?:over )?to|transferred to|switched to|came to) [^.]{3,50}"
    r"\b(?:from an?|after|ago|last (?:week|month|year)|this (?:week|month|year)|as an?)\b"
)
_PRACTISES = (
    rf"i(?:ve| have)? (?:been )?{_DID} (?:[^.,]|\.(?=\w)){{2,60}} (?:since (?:19|20)\d\d|for (?:about |almost |over "
    rf"|nearly )*{_LONG})"
    rf"|(?:^|i |ive |having )spent (?:about |over |nearly |the (?:last|past) )*{_LONG} (?:in|on|as|with|at|\w+ing)"
    r"|i (?:do mostly|do mainly|mostly do|mainly do|usually do) (?!(?:it|this|that|not|the|so)\b)\w+"
    r"|(?:^|[:,] ?)(?:an? |my )?(?:phd|msc|bsc|masters?|degree|diploma|doctorate) in \w+"
    r"|i do (?!(?:it|this|that|not|the|so)\b)[^.,]{2,40} (?:normally|mostly|mainly|for a living|at work|professionally)"
    r"|\w+ (?:is what i do )?for a living"
)
_NEW = (
    r"(?:is|are)(?: all| quite| totally| very| completely| rather| fairly| still| pretty)* new to me"
    r"|(?:ive|i have) (?:shipped|written|done|built|seen) (?:zero|no) (?!(?:tests?|code|changes|bugs?|errors?)\b)\w+"
    r"|(?:^|and |but )never (?:really |actually |properly )?(?:touched|used|written|learn(?:ed|t)) (?!(?:the|this|that"
    r"|it|these|those|my|our"
    r"|again)\b)\w+"
)

PERSON = Person(
    can=words(
        r"i (?:can|do) (?:read|write|handle|follow|speak) (?!(?:the|this|that|it|your|these|those|them|from|all)\b)\w+",
        r"i (?:mostly |mainly |usually |normally )?(?:write|program in|work in|work with|think in) (?!(?:the|this|that"
        r"|it|a|an"
        r"|to|so|tests?|code)\b)\w+",
        r"i know (?!(?:the|this|that|it|what|how|why|where|if|who|you|about)\b)\w+",
        r"\w+ (?:is|are) (?:fine|no problem|ok|okay|second nature)|\w+ im (?:fine|ok|okay|good) with",
        r"(?:no need|dont|you neednt) (?:to )?explain \w+",
    ),
    cannot=words(
        r"\w+ (?:confuses?|scares?|baffles?|intimidates?|bewilders?) me",
        r"i (?:cant|dont|barely|hardly|never|wont) (?:be |really |actually )?"
        r"(?:read|write|writing|know|speak|code|use|changing) (?!(?:the|this|that|why|how|what|where|if|who)\b)\w+",
        r"what i dont (?:know|get|speak|understand) is|is what im (?:\w+ )?learning|on the other hand|not so much"
        r"|\w+ bad$",
        r"i only (?:maintain|look after|keep|touch|do) (?:this|that|it|the|these)|(?:analog(?:y|ies)|comparisons?"
        r"|pictures"
        r"|diagrams?|examples) (?:really )?helps? me",
        r"\w+ i (?:mostly|just|only) (?:copy|paste|guess)",
    ),
    role=words(
        r"(?:im|i am) (?:[\w-]+ ){0,3}(?:colou?r[ -]?blind|dyslexic|deaf|blind|left-handed|hard of hearing)",
        r"i hold (?:an?|the) (?:chair|phd|doctorate|degree|professorship|masters?|licen[cs]e) (?:in|of|for)",
        r"i (?:did|wrote|have|got|hold) (?:my|an?) (?:[\w-]+ )?(?:thesis|phd|masters|dissertation|degree|doctorate)\b",
        _CALLING,
        _HELD,
        _ARRIVED,
        _PRACTISES,
        _NEW,
        (
            r"(?:im|i am|i come|i came) (?:originally |actually )?from (?!(?:here|there|home|now|scratch|work"
            r"|lunch)\b)\w+"
        ),
        (
            r"(?:im|i am|ive been) (?:actually |just |still |only |mostly |really |originally |basically "
            r"|also |now |in fact |more of )*an? (?!(?:bit|little|few|fan|sucker|loser|tad|touch|minute|day"
            r"|hour|week|member|user|customer|number|believer|killer|blocker|reminder|matter"
            r"|beer)\b)(?:[\w+#/-]+ ){0,3}\w+(?:er|or|ist|ian|ant|ary|ect|ologist|person|expert|nurse|vet|chef"
            r"|pilot|surgeon|clerk|midwife)(?: by (?:training|trade|profession))?(?=$|[\s,.;])"
        ),
        rf"^(?:\W|and |so |but |well )*been (?:an? |the )?(?:[\w/+#-]+ ){{0,4}}(?:{JOB}|for {SPAN}|since)",
        r"(?:im|i am)(?: mostly| largely| entirely| completely| fully| basically)* self[ -]taught|self[ -]taught",
        (
            r"i (?:have|ve|got) (?:an? |some |no |little )?(?:strong |solid |basic "
            r"|formal )?(?:[\w-]+ ){0,2}(?:background|degree|phd|training|education)"
        ),
        r"i (?:maintain|own|run|look after|manage|lead) (?:the |our |most of the |all the )?[\w-]+(?=,| here| and|$)",
        r"i speak (?:[\w+#-]+ ){0,3}(?:fluently|natively|only|and)",
        r"(?:ive |i have )?(?:got )?no (?:idea|clue) (?:about|of|how) (?!this|that|why|what|where|it)[\w ]+",
        (
            r"(?:i )?(?:only |just |recently )+(?:started|began|learned|learnt|picked up|switched to"
            r"|got into) (?:learning |using |with |doing |on |writing )?[\w+#-]+(?=.{0,12}\b(?:last|this"
            r"|a (?:month|week|year)|two|three|in|ago|recently)\b)"
        ),
        r"(?:is|are) (?:black magic|a (?:total |complete )?mystery|voodoo|gibberish|a closed book) (?:to|for) me",
        (
            r"is (?:more )?my (?:thing|jam|home|home turf|bread and butter|forte|mother tongue|comfort zone"
            r"|strong suit|weak spot|blind spot|day job|world|wheelhouse)"
        ),
        (
            r"(?:used to be|formerly|previously"
            r"|ex-) ?(?:an? )?(?:[\w+#/-]+ ){0,3}(?:for )?\w+(?=.{0,60}\b(?:years?|yrs?|so|before|but)\b)"
        ),
        r"taking over (?:the )?(?:[\w-]+ ){1,4}from",
        r"(?:entirely|completely|totally|all|pretty|very) (?:foreign|new|greek|alien) to me",
        (
            rf"(?:im|i am|i was|ive been|i used to be|i work as|im by trade|we are|im also|im just|im mostly"
            rf"|im mainly|im actually|im really|im originally|as) (?:actually |just |still |only |mostly "
            rf"|mainly |really |originally |basically |primarily |more of |also |now )*(?:an? |the "
            rf"|our )?(?:[\w/+#&.-]+ ){{0,4}}{JOB}"
        ),
        (
            rf"(?:i|ive|ive been|i have)(?: been| spent| worked| did| have| had"
            rf"| got)* (?:[\w/+#&-]+ ){{0,6}}(?:for |about |almost |nearly |over |roughly |around |like |past "
            rf"|last |some |the )*{SPAN}"
        ),
        (
            rf"(?:coming|came|come|moved|switched|transferred|over) (?:over )?(?:from|off|to this from"
            rf"|here from) (?:\w+ )?(?:{SPAN}|[\w+#/ -]+ (?:background|world|land|side|team|shop))"
        ),
        (
            rf"{SPAN} (?:of|in|as|doing|with|on|at|working|writing|running|building"
            rf"|across) \w+(?=.{{0,80}}\b(?:i|me|my|im|never|ive|but|before)\b)"
        ),
        rf"(?:after|with) {SPAN} (?:of|in|as|doing|with|on|at|working|writing) \w+",
        (
            r"(?:my )?first (?:real |ever |proper |serious )?(?:[\w+#/-]+ ){0,4}(?:ive ever|i ever|ive"
            r"|ever) (?:opened|touched|seen|used|written|worked|read|built)"
        ),
        (
            r"first time (?:ive (?:ever )?(?:used|touched|worked|written|opened|done)|(?:using|touching"
            r"|writing|working|doing|with|in))"
        ),
        (
            r"(?:i ?(?:have|ve|had)?|and|but|though) (?:have |ve )?never (?:really |actually |properly |once "
            r"|ever )?(?:used|touched|written|done|worked (?:with|in|on)|learn(?:ed|t)|programmed|coded"
            r"|shipped|built|deployed)(?! (?:this|that|it)\b)"
        ),
        (
            r"(?:im|i am) (?:\w+ly |still |quite |very |brand |so |kinda |kind of |a bit |also |completely "
            r"|rather |pretty )*new (?:to|at|in|around) (?!this (?:bug|issue|error|file|branch|code|function|module"
            r"|pr|test|class|config|script|page|table))"
        ),
        r"new (?:here|hire|joiner|starter)(?=.{0,60}\b(?:i|started|joined|from|monday|week|team)\b)",
        (
            r"my (?:\w+ )?(?:background|day job|degree|phd|training|main language|native language"
            r"|first language|mother tongue|speciality|specialty|expertise|field|strong suit|home turf"
            r"|bread and butter|comfort zone) (?:is|was|are|lies)"
        ),
        (
            r"i (?:come from|studied|trained as|majored in|have a (?:degree|phd|masters|background)"
            r"|did a (?:degree|phd|masters)|trained in|grew up (?:on|with)|taught|teach)"
        ),
        (
            r"i (?:also |actually |currently |mostly |mainly |now )*(?:run|lead|manage|own|head up|head"
            r"|maintain|look after|am responsible for|am in charge of|oversee|do|handle|work (?:on|in|for|with"
            r"|at)|sit (?:in|on|with)) (?:the |our |a |most of the )?(?:[\w/&+-]+ ){0,3}(?:side|team|group"
            r"|squad|platform|infra|infrastructure|department|dept|practice|guild|org|desk|oncall rotation"
            r"|accounting|compliance|support|sales|marketing|finance|analytics|operations|office)(?! (?:is|was"
            r"|that|which)\b)"
        ),
        (
            r"(?:im|i am) (?:on|in|with|from|part of) (?:the |our )?(?:[\w/&+-]+ )?(?:team|squad|group"
            r"|department|dept|side|org|guild|ops|support|finance|marketing|analytics|platform)"
        ),
        (
            r"i (?:mostly|mainly|usually|normally|primarily|typically|only|almost only|generally) (?:write|do"
            r"|use|work|code|speak|read|live in|program|think)(?! (?:this|that|it)\b)"
        ),
        (
            r"i (?:dont|barely|hardly|only|cant|do not|didnt) (?:really |actually )?(?:know|speak|read"
            r"|understand|write|do) (?:any |much |a (?:lot|word) of |enough |basic |a little "
            r"|a bit of )?[\w+#-]+(?=.{0,60}\b(?:so|explain|background|myself|yet|enough|at all|well)\b)"
        ),
        (
            r"(?:im|i am) (?:not )?(?:very |too |that |really |quite |pretty |super |fairly |most |all that "
            r"|no )*(?:comfortable|fluent|experienced|proficient|at home|well versed|rusty|strong|weak"
            r"|an expert|expert|a native)(?: speaker)?(?: (?:with|in|at|on|of))?"
        ),
        r"i know (?:[\w+#-]+ ?){1,4}(?:inside out|well|by heart|cold|very well|like the back|really well|deeply)",
        (
            r"(?:im|i am) (?:red-green |partially |totally |a bit )?(?:colou?r[- ]?blind|dyslexic|deaf"
            r"|hard of hearing|blind|left-handed|visually impaired)"
        ),
        r"i (?:use|rely on|work with) (?:a )?screen ?reader",
        r"english (?:is not|isnt) my",
        (
            r"(?:im|i am) (?:the|one of the) only (?:\w+ ){0,3}(?:developer|dev|engineer|one|person|maintainer"
            r"|backend|frontend|designer|admin)"
        ),
        (
            r"(?:i|ive) (?:just )?(?:joined|started|moved|transferred|switched)(?: \w+)? (?:from|to|on|in|at"
            r"|as|over|last|this)(?=.{0,60}\b(?:team|from|as|company|week|month|monday|role|background)\b)"
        ),
    ),
    not_role=words(
        r"until (?:then|that|next)|for now|currently",
        r"at the moment|right now|online|today|(?:confuses?|scares?|baffles?) me here",
        r"(?:years?|yrs|decades?) of (?:data|logs?|history|backups?|records|commits|mails?|reports|invoices|results"
        r"|samples"
        r"|measurements|entries|events|prices|sales|uptime|logs)|from the (?:readme|docs?|issue|ticket|wiki|search"
        r"|link|last)",
        r"if i (?:were|was|am)|were i",
        (
            r"(?:im|i am) (?:an? |such an? |the |being )?(?:\w+ )?(?:idiot|moron|mess|fool|dummy|dumbass|clown"
            r"|genius)"
        ),
        r"as an? \w+(?: \w+)?,? i (?:want|can|should|need|would like)",
        r"imagine|pretend|suppose",
        r"the (?:user|customer|client)s?",
        r"fan of",
        (
            r"on (?:(?:it|that|this)(?=\W|$)(?! (?:project|team|codebase|repo|side|product))|call|the phone"
            r"|a call|hold|vacation|leave|holiday|pto)\b"
        ),
        r"(?:person|team|guy) (?:who|that) (?:broke|wrote)",
        r"act as|you are|youre a",
        r"i was (?:just |only )?(?:a bit|wondering|thinking|looking|hoping|trying)",
        r"for (?:\d+|a few|two|three) (?:hours?|minutes?|mins?|days?)",
    ),
    talking=words(
        r"explain|explanations?|teach|lecture|analog(?:y|ies)|simple words|jargon|go slow|slowly|basics"
        r"|terms"
    ),
    speaker=words(
        r"so you (?:may|can|could|dont|neednt|wont|might)",
        r"i|im|ive|my|me|for me|mine|id|what i (?:lack|dont (?:know|get|understand|speak))",
        (
            r"explain|compare|map|translate|go slow(?:ly)?|be gentle|spell (?:it|things) out"
            r"|short (?:simple )?sentences|simple words|analog(?:y|ies)|in terms of|bear with"
        ),
    ),
)
