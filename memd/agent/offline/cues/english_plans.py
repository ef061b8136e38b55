"""How people say what is going on, in English: lower case, no apostrophes ("dont")."""

from __future__ import annotations

import re

from memd.agent.offline.cues.english_decisions import DECIDED, FREEZE, OWNER, OWNS_WORK, SETTLED_BY
from memd.agent.offline.cues.english_parts import ACT, FILLER, PERSONISH
from memd.agent.offline.cues.tables import Plans, words

_ENDED = (
    r"(?:is|are|has|have|hasnt|havent|isnt|arent|closes?|finish(?:es)?|signs?|confirms?|answers?|arrives?|clears?"
    r"|repl(?:y|ies)"
    r"|says?|decides?|agrees?|approves?|comes? back|returns?|ends?|gets?|goes|go|lands?|ships?)"
)

PLANS = Plans(
    until=words(
        rf"(?:until|till|as long as|so long as|before) (?!(?:i|you|we|im|youre|ive|my|your|tests?|ci|the (?:tests?"
        rf"|build|ci"
        rf"|pipeline|suite|pr|branch))\b)[\w-]+(?: [\w-]+){{0,4}}? {_ENDED}|(?:until|till|before) (?:thats|hes|shes"
        rf"|theyve|theyre|its|they|he"
        rf"|she) (?!(?:my|your)\b)\w+|still \w+ing"
        rf"|is still in"
    ),
    rests=words(
        r"nobody|no one|none of (?:those|these|that|the|them|it)|nothing|not allowed|arent allowed|may not|must not"
        r"|mustnt|on hold|off limits|wants? every"
        r"|cant (?:touch|change|deploy|ship|use|delete|drop)|(?:dont|do not) (?:touch|delete|drop|change|use|rely"
        r"|prune|move)"
        r"|(?:stays?|stay|remains?|has to stay) (?:\w+)|leave (?:it|them|that|the|\w+ing)|hands off"
        r"|no (?:deploys?|changes|orders|writes|deletions?|\w+ing)"
    ),
    outsiders=words(
        r"legal|compliance|claims?|finance|security|audit(?:ors?)?|investigation|insurers?|insurance|court"
        r"|regulators?"
        r"|vendors?|suppliers?|providers?|manufacturers?|couriers?|authorit(?:y|ies)|lawyers?|police|carriers?|bank"
        r"|inquiry|dispute|recall|customs"
        r"|inspectors?",
        rf"{PERSONISH} has (?:[\w-]+ ){{1,3}}(?!\w*thing\b)\w+ing",
        rf"{PERSONISH}s (?:[\w-]+ ){{1,3}}(?:is|are) (?:still |now |busy )?(?!(?:going to|being)\b)\w+ing",
        rf"{PERSONISH}(?:s| is) still (?!(?:debugging|looking|fixing|testing|failing|running|hanging|getting"
        rf"|throwing|using|having)\b)\w+ing (?:it"
        rf"|them|that"
        r"|this|the|with|through|over)",
    ),
    asserts=re.compile(
        rf"^(?!{FILLER}{ACT} (?:it|this|that|the|them|a|an|my|your)\b)(?:(?:ok|okay|hm+|btw|fyi|heads[ -]up"
        rf"|also|and|so|oh|note|reminder|quick|context|just|psa|morning|hey|hi|right|yes"
        rf"|yep)[\s,:!-]+)*(?!(?:i|ill|im|you|lets|please|pls|can|could|if)\b)(?:[\w./'-]+ ){{1,6}}?(?:is"
        rf"|are|has|have|will|wont|gets?|goes|comes?|wants?|needs?|starts?|ends?|opens?|closes?|lands?"
        rf"|ships?|launch(?:es)?|returns?|leaves?|arrives?|expects?|begins?|happens?|takes?|runs?|moves?"
        rf"|visits?|joins?|stops?|pauses?|merges?|deploys?|owns?|drives?|leads?"
        rf"|[a-z]{{2,}}(?<!s)s (?:over|off|out|down|back|away))\b"
    ),
    obligation=words(
        r"due",
        r"deadline",
        r"must",
        r"ha(?:s|ve) (?:got )?to",
        r"needs? to",
        r"gotta|got to",
        r"no later than",
        r"at the latest",
        r"promised",
        r"committed to",
        r"booked",
        r"contract(?:ual(?:ly)?)?",
        r"cut-?off",
        r"hard (?:date|stop|deadline)",
        r"non-?negotiable",
        r"required",
        r"no extensions?",
        r"expects?",
        r"is expecting",
        r"wants?",
        (
            r"by(?= the| end| \d| mon| tue| wed| thu| fri| sat| sun| jan| feb| mar| apr| may| jun| jul| aug"
            r"| sep| oct| nov| dec| next| this| tomorrow| eo)"
        ),
        r"need(?:s|ed)? (?:it|this|that|the|them|us|a)",
        (
            r"before(?= the| \d| mon| tue| wed| thu| fri| jan| feb| mar| apr| may| jun| jul| aug| sep| oct"
            r"| nov| dec| next| end)"
        ),
        r"deliver(?:s|y|ed|able)?",
        r"scheduled",
        r"signed",
    ),
    event=words(
        r"ship(?:s|ping|ped)?",
        r"launch(?:es|ing|ed)?",
        r"releas(?:e|es|ed|ing)",
        r"go(?:es|ing)?[ -]live",
        r"demo(?:s|ing|ed)?",
        r"audit(?:s|ors?|ed|ing)?",
        r"sunset(?:s|ting)?",
        r"eol|end of life",
        r"shut(?:s|ting)? (?:it |them )?(?:down|off)",
        r"turn(?:s|ed|ing)? (?:it |them )?off",
        r"switch(?:ed|ing|es)? (?:off|over)",
        (
            r"(?:licen[sc]e|cert(?:ificate)?|contract|trial|support|lease|domain) (?:\w+ ){0,2}(?:expires?"
            r"|runs? out|ends?|lapses?|renews?)"
        ),
        r"cut-?over",
        r"hand-?over|hands? over",
        r"sign(?:s|ed)?[ -]off",
        r"goes? out",
        r"targets?(?:ing)?",
        r"migrat(?:e|es|ed|ion|ing)",
        r"retir(?:e|es|ed|ing)",
        r"decommission\w*",
        (
            r"nightly|release train|test ?flight|app store|broadcast|premiere|exhibition|fair|exam|board meeting"
            r"|onsite|on-site|offsite|conference|keynote|webinar|pilot|beta|ga|rollout|roll-out"
            r"|rc|pen ?test|security review|compliance|certification|renewal|inspection|election|black friday"
            r"|go-no-go|kick-?off|handoff|maintenance window|downtime|outage window|submission|milestone"
            r"|sprint"
        ),
        r"cuts?(?: \w+){0,3} branch",
        r"moves? to|moving to",
        r"starts?|starting|begins?",
        r"ends?|ending",
        r"deprecat\w+",
        r"off(?= by| on| from| after)",
        r"gone(?= by| on| after)",
        r"live(?= by| on| from| before)",
        r"out(?= by| on| before)",
        r"done(?= by| before)",
        r"ready(?= by| for| before)",
        r"merged(?= by| before)",
        r"go(?:es)? (?:away|dark|offline|read-?only)",
        r"leav(?:es|ing)|on leave|parental leave|last day",
    ),
    freeze=FREEZE,
    decided=DECIDED,
    settled_by=SETTLED_BY,
    owner=OWNER,
    owns_work=OWNS_WORK,
    past=words(
        (
            r"last (?:week|month|quarter|year|sprint|night|time|spring|summer|autumn|fall|winter|release|mon"
            r"|tues?|wed|thu|fri|sat|sun)\w*"
        ),
        (
            r"(?:back |over |early |late )?in (?:january|february|march|april|may|june|july|august|september"
            r"|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|q[1-4])"
        ),
        (
            r"yesterday|the other (?:day|week)|over (?:the )?(?:weekend|holidays?|christmas|easter|new years?)"
            r"|recently|a (?:few )?(?:week|month|day"
            r"|year)s? (?:ago|back)|\w+ (?:weeks?|months?|days?|years?) ago|on (?:mon|tues|wednes|thurs|fri"
            r"|satur|sun)day|during|since|back (?:in|when)|earlier this (?:week|month|year)|once"
        ),
    ),
    incident=words(
        (
            r"took (?:out|down)|knocked out|ransomware|attack(?:ed)?|damag\w+|fail(?:ed|ure)|flood\w*|fire"
            r"|power (?:cut|loss|outage)|stolen|died|fried|washed out"
            r"|struck|lightning|burst|melted|unplugged|severed|bricked|recall(?:ed)?|quarantin\w+|infected"
            r"|miscalibrat\w+|compromised|outage|incident|sev ?-?[0-3]|p[0-1]|went down|was down|fell over"
            r"|broke(?:n)?|lost|corrupt(?:ed|ion|s)?|leak(?:ed|s)?|breach(?:ed)?|double[- ]?(?:bill|charg|post"
            r"|sent|ship|pay|paid)\w*|twice|wiped|deleted|duplicat\w+|paged|roll(?:ed)?[ -]?back|post-?mortem"
            r"|hacked|overcharg\w+|oversold|dropped|failover|crash(?:ed)?|stale|wrong (?:prices?|amounts?|data"
            r"|rows|emails?|totals?)|missing|truncated|overwrote|overwritten|poisoned|expired|ddos|misrouted"
            r"|charged|refunds?"
        ),
    ),
    ongoing=words(
        (
            r"has ?nt been|hasnt|havent|wont be|until it|awaiting|waiting (?:for|on)|arranging|still|until"
            r"|till|for now expected|are expected|is expected|in progress|working through|pending"
            r"|being (?:cleaned|fixed|refunded|backfilled|restored|investigated|migrated|reconciled|repaired)"
            r"|hasnt|havent|isnt (?:done|finished|fixed|over|closed)|not (?:yet )?(?:done|finished|closed"
            r"|complete|fixed|over)|ongoing|under way|underway|backfill(?:ing)?|cleaning up|cleanup"
            r"|so (?:expect|leave|dont)|will (?:take|last)|halfway|left over|investigat\w+"
        ),
    ),
    debugging=words(
        (
            r"(?:the |my |this |todays |last nights )?(?:build|builds|tests?|ci|pipeline|compile|compilation"
            r"|test suite|suite|branch|checkout|docker image|container)(?: \w+)? (?:fail\w*|broke|crash\w*"
            r"|went|is|was|are|were|died|hangs?)"
        ),
        r"on my (?:machine|laptop|box|branch)|locally",
        (
            r"(?:^|[,.] ?|and |please |pls )(?:fix|look into|look at|check|revert|roll (?:it |this "
            r"|that )?back|clean (?:it|them|up)|find out|debug|investigate|recover|restore|renew|restart|rerun"
            r"|bisect|help)(?! yourself)"
        ),
        r"heres the (?:log|trace|output|error|stack)",
    ),
    code_date=words(
        r"show (?:that|it|this) (?:in|on|at)|remind me",
        r"(?:shows?|displays?|renders?|prints?|says) (?:a |the )?(?:mon|tues|wednes|thurs|fri|satur|sun)day",
        r"according to|git (?:log|blame|history)|(?:commit|build|deploy|merge|version|run|dump|log|backup"
        r"|snapshot)s? "
        r"(?:from|of) (?:last )?\w+day|(?:header|banner) (?:to|says)",
        r"fixtures?|seeds?|seed data|sample (?:data|rows?|file)|test (?:data|cases?|file)|a test"
        r"|mock(?:ed)? (?:data|date|clock)|copyright|placeholder|dummy|cron(?:job)?|token|ttl|cache"
        r"|trial period|timestamp|regex|locale|date ?picker|assert\w*|(?:banner|button|modal|page|popup"
        r"|widget|field|column|badge|notice|label) (?:should|must|needs? to|has to)|(?:set|change|update"
        r"|move|bump) (?:the |its )?(?:\w+ )?(?:date|year|version|field|value|default)",
    ),
    changed=words(
        (
            r"(?:got |been |was |is |are |were |has |have |had )*(?:moved|pushed|pulled|postponed|delayed"
            r"|slipped|shifted|rescheduled|brought|bumped|extended|changed|dragged)(?: \w+){0,3} ?(?:back"
            r"|forward|in|out|up|to|until|till|by)"
        ),
        r"(?:is|its|thats) now(?= )|(?:plans?|things|dates?) (?:have |has )?changed",
        r"(?:moves?|comes|goes|slips|shifts|slides) (?:up|forward|back|out|over)? ?(?:to|by|until|till)",
        r"new (?:date|deadline|target|eta)",
        r"(?:is|are|was) (?:moot|off the table|void|dead)",
        (
            r"(?:date|deadline|cut-?off|freeze|launch|release|demo|it|that) (?:has |just |got |was )*(?:moved"
            r"|slipped|changed|shifted)"
        ),
        r"(?:mon|tues|wednes|thurs|fri|satur|sun)day(?:,? (?:the )?\d{1,2}(?:st|nd|rd|th))? now|now (?:on |by "
        r"|from )?(?:mon|tues"
        r"|wednes|thurs|fri|satur|sun)day|(?:isnt|is not|wont be|arent) [^,.]{1,30} any ?more"
        r"|its the \d{1,2}(?:st|nd|rd|th) now|(?:go-?live|opening|launch|start|schedule|timing|day|plan) (?:has "
        r"|just |was )*"
        r"(?:moved|changed|slipped|shifted)",
        r"(?:instead of|not) (?:mon|tues|wednes|thurs|fri|satur|sun)day",
        r"scratch that|correction|actually|no longer",
        r"earlier than|later than",
    ),
    own_plan=words(
        r"(?:my|a|the) (?:flight(?! (?!home|back|out|is|leaves)\w)|train|bus|dentist|doctor|birthday|appointment"
        r"|vacation|holidays?|wife|husband|kids?"
        r"|wedding)",
        (
            r"(?:ill|i will|im gonna|im going to|i can|i might|let me|lets|ill be|we can|we could|you can"
            r"|could you|can you|please|pls|remind me|id like to|i want to|i need to|ill do|i have to|i gotta"
            r"|finish (?:this|it)|do (?:this|it|that))(?! (?:own|have to have)\b)"
        ),
    ),
)
