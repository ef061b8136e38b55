"""How people say where things are, in English: lower case, no apostrophes ("dont")."""

from __future__ import annotations

import re

from memd.agent.offline.cues.english_parts import TOOL
from memd.agent.offline.cues.tables import Places, words

_STAY = (
    r"is|are|live|lives|sits?|filed|tracked|kept|stored|documented|written up|recorded|managed|collected|archived"
    r"|posted"
    r"|published|maintained|listed|booked|found|logged|stays?|hosted|planned|ends? up|lands?"
)
_SECTION = (  # of a tool
    r"(?:project|space|board|folder|view|workspace|page|list|channel|collection|site|group|team|queue|label|notebook"
    r"|section|category|drive|component|base)"
)
_NOT_A_NAME = (  # days, months, languages and other capitals that are no place to look
    r"(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|English|German"
    r"|French"
    r"|Spanish|Chinese|Japanese|Python|Java|Rust|Go\b|Kotlin|Swift|Ruby|Windows|Linux|Mac|Docker|Europe|Q[1-4]|I\b"
    r"|UTC|CI\b"
    r"|PRs?\b|The\b|A\b|UTF|JSON|YAML|CSV|XML|SQL|HTML|CSS|PDF|ISO|[A-Z][a-z]+[A-Z]\w*[(.]|[A-Z]+_)"
)

_CONTAINER = (
    r"(?:boards?|whiteboard|sheet|spreadsheet|docs?|document|folder|space|channel|workspace|notebook|album|drive"
    r"|tracker"
    r"|wiki|calendar|collection|page|list|bucket|share|repo|repository|project|index|dashboard|vault|group|site|base"
    r"|file|view|tab|tag|label"
    r"|queue|filter|database)"
)

_QUOTED = r"[\"“'][^\"”']{2,40}[\"”']"
_IDENTIFIER = r"[\"“'`]?(?=[\w.-]*[a-z0-9][-_.][a-z0-9])[\w.-]{5,}"  # a name as machines have them: halo-raw, mp_shop

PLACES = Places(
    place=words(TOOL),
    resource=words(
        (
            r"buckets?|dumps?|inbox|mailbox|folders?|spaces?|examples?|schematics?|drawings?|samples?|data ?sets?"
            r"|corpus"
            r"|library|archive|templates?|transcripts?|photos?|models?|layouts?|floor ?plans?|manuals?"
            r"|datasheets?|certificates?|workspace|dashboards?|boards?|panels?|runbooks?|playbooks?|wiki|doc"
            r"|docs|documents?|documentation|specs?|specifications?|sheets?|spreadsheets?|tracker|tickets?"
            r"|bugs?|issues?|projects?|channel|calendars?|roadmaps?|designs?|mock-?ups?|wireframes?|rota"
            r"|roster|schedule|post-?mortems?|incidents?|metrics|alerts?|alerting|traces|feedback|contracts?"
            r"|status page|backlog|epics?|requests?|rfcs?|adrs?|minutes|notes|onboarding|checklists?"
            r"|guidelines?|style ?guide|handbook|polic(?:y|ies)|faq|recordings?|reports?|graphs?|charts?"
            r"|diagrams?|complaints?|escalations?|announcements?|releases?|logs|tasks?|work items?"
            r"|requirements|copy|translations?|strings|assets|icons|licen[cs]es|invoices|inventory"
            r"|catalog(?:ue)?|glossary|data dictionary|flags?|experiments?|surveys?|interviews?|latency"
            r"|errors?|outages?|on-?call|people|questions|to-?dos?|page|results|numbers|slos?|budgets?"
        ),
    ),
    pointer=words(
        (
            r"(?:talk|discuss\w*|ask\w*|chat|hang out|coordinate|announce\w*|raise\w*"
            r"|escalate\w*)(?: \w+)? (?:in|on|to|at)"
        ),
        (
            r"its (?:at|in|on|under)|listed|is|are|s|lives?|sits?|stays?|goes|go|tracked|filed|kept|documented"
            r"|written(?: up| down)?"
            r"|posted|found|over (?:in|at|on)|up (?:at|on)|hosted|managed|maintained|collected|logged|recorded"
            r"|where (?:the |all |our )?(?:[\w-]+ ){0,3}(?:announce|post|discuss|report|file|keep|track|publish"
            r"|share|log)s?"
            r"|do exist|reported|under|belongs?|reside|happens?|get(?:s)? (?:filed|tracked|posted|logged)|there(?:s"
            r"| is) an?|measuring on|measured (?:on|in)|see|look (?:in|at)|check|through|via|goes (?:to"
            r"|through|in)|have|has|keeps?|use|publish(?:es|ed)?|ask in"
        ),
    ),
    kept_at=words(
        (
            rf"(?:is|are|live|lives|sits?|filed|tracked|kept|stored|documented|written up|managed|collected"
            rf"|archived|logged|posted|published|hosted|maintained|listed|goes?|come in|comes in|found|planned"
            rf"|discussed|announced) (?:all |now |still |only |over )*(?:in|on|at|under|to|into|through"
            rf"|via) (?:the |our |an? )?(?:\w+ )?{TOOL}"
        ),
        (
            rf"(?:{_STAY}) (?:all |now |still |only |over )*(?:in|on|at|under|with) (?:the |our "
            rf"|an? )?(?!(?:the|our|an?|my|your|this|that)\b)[\w.-]+(?: \w+)?,"
            rf"? (?:in |under )?(?:the )?{_SECTION}(?: called| named)?(?= |$)"
        ),
        rf"(?:moved|migrated|switched|went|goes|copied|transferred) (?:[\w'-]+ ){{0,4}}(?:over )?(?:in)?to (?:the "
        rf"|our |an? )?{TOOL}",
        rf"(?:^|(?<=in )|(?<=on )|(?<=at )|(?<=[:,] )){TOOL},? (?:in |under )?(?:the )?{_SECTION} \S+",
    ),
    people=words(
        r"[a-z]{3,}(?:ed|ept|own|ung|itten|awn)(?: up| down| out)? (?:in|on|at|under|via|through)$",
        r"(?:ask|book(?:ed)?|reserved?|order(?:ed)?|request(?:ed)?|report(?:ed)?|fil(?:e|ed)|post(?:s|ed)?|raised?"
        r"|discuss(?:ed)?"
        r"|announced?|publish(?:es|ed)?|document(?:ed)?|upload(?:ed)?|log(?:ged)?|escalated?|track(?:ed)?|kept"
        r"|stored|listed"
        r"|comes?|look|looks|sits?|lives?|talk|collected|archived)(?: [\w-]+){0,3} (?:in|on|at|via|from|under|to"
        r"|through)$|(?:ping|ask|message|try|mail)$",
    ),
    proper=re.compile(
        rf"\b(?:{_STAY}|[Ff]ile|[Kk]eep|[Tt]rack|[Ss]tore|[Ll]og|[Rr]aise|[Bb]ook)(?: (?:all|now|still|only|over"
        rf"|up))?"
        rf"(?: [\w-]+){{0,3}} (?:in|on|at|with|under|via|through) (?:the "
        rf"|our )?{_NOT_A_NAME}[A-Z][\w-]+(?: [A-Z][\w-]+)*"
        rf"(?=$|[.,;)](?:\s|$)|\s)(?! (?:class|function|module|method|package|table|struct|enum|trait|file|format"
        rf"|mode)\b)|\b(?:(?:in|on|to) (?:an?|the|our|their|my) (?:[\w'-]+ ){{0,3}}?|(?:[Gg]oogle|[Mm]iro|[Tt]rello"
        rf"|[Nn]otion) )"
        rf"{_CONTAINER} (?:called|named|titled) (?:[\"“']|{_NOT_A_NAME}[A-Z])"
        rf"|\b(?:[Ii]n|[Oo]n|[Uu]nder|[Aa]t|to|from) (?:the|an?|our|their|my) (?:[\w'-]+ ){{0,3}}?{_CONTAINER} "
        rf"{_IDENTIFIER}"
        rf"|\b(?:a|an|the|our|their) (?:[\w'-]+ ){{0,2}}{_CONTAINER} (?:(?:is )?(?:called|named) )?{_QUOTED}"
        rf"|\b(?:[Ii]n|[Oo]n|[Uu]nder|[Aa]t|to|via|through) [^.!?;:]{{2,40}}?,? {_CONTAINER} {_QUOTED}"
    ),
    led_to=re.compile(
        r"(?:^|[:,(] ?|\b(?:in|on|at|to|into|via|from|under|through|by|is|are|its|theres|with|see|check|use|uses"
        r"|using) "
        r"(?:the |our |an? |my )?(?:[\w-]+ ){0,3})$"
    ),
    hands_over=words(
        (  # an order to use it right here
            r"(?<!never )(?<!dont )(?:put|use|add|set|copy|paste|configure|hard ?code|call|hit|import|wire|plug"
            r"|insert"
            r"|replace|download|save) (?:it|that|this|them)"
        ),
        (
            r"(?:^|(?<=[,.:;] )|(?<=please )|(?<=pls )|(?<=and )|(?<=you )|(?<=now )|(?<=to )|(?<=then )|(?<=so )"
            r"|(?<=ok ))"
            r"(?:heres|here is|here are|this is|see|look at|check(?: out)?|open|fetch|read|visit|go to|curl"
            r"|download|clone|try|use|hit|ping|scrape|summari[sz]e|test|implement|follow|triage"
            r"|fix)(?: \w+){0,4} (?:this|that|the failing|the stack|my|attached|below|ticket|issue|pr|log"
            r"|trace|output|error|gist|paste)"
        ),
        (
            r"(?<!-)(?<!\bi )(?<!\bwe )(?<!\bthey )(?<!\bstill )(?<!\bare )(?<!\bis )(?:fetch|curl|download|open"
            r"|visit|scrape|clone|summari[sz]e|triage"
            r"|implement|translate|compare"
            r"|parse|point|hit|call)(?= |$)"
        ),
        (
            r"for (?:now|the time being|the moment|today|this run|this test|the demo)|temporar(?:y|ily)"
            r"|until (?:tomorrow|tonight|next)|throwaway|ephemeral|sandbox|preview (?:env|deploy|url)"
        ),
        (
            r"(?:the|this) (?:stack ?trace|failing|failed|error|exception|crash|dump|output|broken|red) ?\w*"
            r"|response (?:is|was)|returns?|returned|respond\w*|timeout|times out|(?:is|was|seems|are) (?:down|dead"
            r"|wrong|empty|gone|missing|stuck|slow"
            r"|broken|unreachable|failing|blocked)|\d{3} (?:from|on)|connection|cors|redirect(?:s|ed|ing)?"
            r"|endpoint"
        ),
    ),
    orders=re.compile(
        r"^(?:(?:ok|okay|now|then|and|so|please|pls|great|also|you|go|first)[\s,]+)*(?:find out|check|see|look up"
        r"|tell me"
        r"|work out|figure out|verify|make sure|explain|research|investigate|compare|test) (?:if|whether|how|why"
        r"|what|which|when"
        r"|who|where)\b"
        r"|^(?:im|i am|i)(?: (?:mostly|mainly|usually|basically|kind of|sort of|just))* (?:live|work|think"
        r"|stay)s? in\b"
        r"|^(?:(?:ok|okay|now|then|and|so|please|pls|great|also)[\s,]+)*(?:(?:can|could|would|will) (?:you"
        r"|u)\b|(?:read|open|post|put|send|fetch|fix|update|add|link|pull|push|sync|export|import|copy"
        r"|move|paste|render|embed|show|write|make|create|call|connect|integrate|mock|parse|download"
        r"|upload|run|test|implement|use|get|take|grab|load|scrape|summari[sz]e|remove|delete|rename"
        r"|replace|change|set) (?:it|this|that|these|those|them|the|an?|my|our|all|to|from|in|on|me|us"
        r"|https?)\b)|\b(?:attached|is broken|is down|(?<![\w./])(?:src|lib|docs|tests?|app|cmd|pkg"
        r"|internal|config)/\S)"
    ),
)
