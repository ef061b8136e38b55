"""How people confirm a choice, and give reasons, in English: lower case, no apostrophes ("dont")."""

from __future__ import annotations

import re

from memd.agent.offline.cues.tables import Choices, words

_LASTS = (  # how things are, for the time being and after: "two of our agronomists are colour blind"
    r"(?:the|our|my|their|his|her|half|two|three|most|some|many|every|each|people|customers?|whoever)"
    r"(?: of (?:our|the|my|those|these|them|us))?(?: [\w-]+){0,4}? (?:is|are|has|have|gets?|cant|cannot|dont|doesnt"
    r"|wont"
    r"|reads?|pays?|wants?|needs?(?! to)|keeps?|counts?|leaks?|closes?|goes|uses?|shares?|checks?|reviews?|compares?"
    r"|depends?"
    r"|relies|expects?|breaks?|drops?|rejects?|strips?|looks? at|sees?|knows?|bills?|charges?|runs?)"
)

_HOW_MANY = r"(?:two|three|four|five|six|several|many|most|all|half|dozens|hundreds)(?: of)?(?: the| our| my)?"

_PATTERN_FOR = (
    r"in (?:the )?future(?: too| as well)?|keep (?:it|that|doing it|doing that) (?:that way|like that|up|for)"
    r"|thats how (?:it|this|that|all|every\w*|these|we|bugs|fixes) (?:\w+ )?should|"
    r"(?:that|this)s (?:the|a|my|our) (?:pattern|shape|template|model|standard|way|recipe) for (?:all|every|any|our"
    r"|the other)"
    r"|(?:same|this|like this|that way) (?:thing |again |here |game |deal )?(?:whenever|(?:every|any|each) ?time)"
    r"|(?:same|this) (?:treatment|way|approach|pattern|scheme|recipe) (?:when(?:ever)?|if|for (?:all|every|any|our)"
    r"|as soon as)"
)

CHOICES = Choices(
    agrees=re.compile(
        r"^(?:(?:ok(?:ay)?|ah|oh|ha|hm+|haha|and)[\s,.!]+)*(?:yes|yeah|yep|yup|ya|exactly|right|correct"
        r"|perfect|great|nice|good|love|lovely|agreed?|sure|totally|absolutely|spot on|excellent|beautiful"
        r"|that(?:s| is| was)|this (?:is|was)|thx|thanks|brilliant|sweet|cool|works|👍|splitting|keeping"
        r"|skipping|leaving|i (?:really )?(?:like|love)|happy|glad|bang on|way better|much better|ok|fair"
        r"|wow|huh)\b"
    ),
    praises=words(
        r"is (?:very |really |so |much )?(?:useful|helpful|handy|readable)",
        r"(?:right|good|proper|perfect) (?:place|spot|layer|level|order) for",
        (
            r"(?:right|good|correct|smart|sensible|solid|great|excellent|better|wise|best) (?:call|move|choice|pick|bet"
            r"|shout|decision|approach|way|instinct|idea|trade-?off|judge?ment|thinking|split|shape|format"
            r"|level|structure|default|size)"
        ),
        r"exactly (?:this|that|like (?:this|that)|how|what i|right|the (?:right )?\w+)",
        r"(?:just|exactly|precisely) (?:the way|how|what) i (?:like|want|wanted|need|hoped)",
        r"(?:glad|happy|nice that|good that|love that|like that|appreciate that|like how|love how) you",
        r"youre right to|you were right to|right to (?:keep|split|skip|leave|not)",
        r"(?:this|that) is (?:how|the way|what) (?:i|we) (?:like|want|do|work)",
        (
            r"(?:was|is|were) (?:exactly |totally |absolutely |definitely |really )?(?:right|spot on|the way to go"
            r"|better|wise|smart|clever"
            r"|worth it|perfect)"
        ),
        r"(?:saves?|saved) (?:me|us)",
        r"love (?:this|that|the)",
    ),
    carries_over=words(_PATTERN_FOR),
    likewise=words(
        _PATTERN_FOR,
        (
            r"keep (?:doing|it|that|this|them|going|using|writing|working|to)(?: \w+)?(?: (?:like )?(?:this"
            r"|that|way|up))?"
        ),
        (
            r"(?:do|handle|use|write|structure|format|present|send|give|make) (?:it|them|all|everything|this"
            r"|that|yours|future)?(?: ?\w+)? ?(?:like )?(?:this|that|the same)(?: way)?"
        ),
        r"(?:this|that) kind of",
        r"(?:such|similar|these) (?:\w+ )?(?:changes?|refactors?|cases?|fix(?:es)?|things?|bugs?)",
        (
            r"(?:same|this|that) (?:approach|way|pattern|treatment|deal|again|format|style|shape|layout"
            r"|structure)"
        ),
        r"stick (?:with|to) (?:this|that|it)",
        r"more (?:of|like) (?:this|that|these)",
        r"(?:every|each|any) (?:\w+ ?){1,3}",
        r"for (?:every|all|any|each|future)",
        r"whenever",
        r"by default",
        r"always",
        r"as (?:the|a|your) default",
        (
            r"(?:for|on|in) (?:things|stuff|changes|work|bugs|refactors|reviews|migrations|fixes) like (?:this"
            r"|that|these)"
        ),
        r"default to",
        r"(?:next|other) (?:one|time|ones|times)",
    ),
    reason=words(
        r"so (?:they|it|everyone|nobody|people|others|reviewers|i can|we can|i dont|we dont)(?= \w)",
        r"because",
        r"cause",
        r"cos|cuz|coz|bc",
        (
            r"since(?! (?:mon|tue|wed|thu|fri|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|last|yesterday"
            r"|the (?:deploy|rebase|merge|upgrade))\w*)"
        ),
        r"so that",
        r"otherwise",
        r"due to",
        r"(?:the )?reason(?: is|:| being)",
        r"or else",
        r"that way",
        (
            r"(?:he|she|they|someone|somebody|customers?|the customer|the client|a user) (?:said|says"
            r"|told (?:us|me|them)|claims?|claimed|insists?|suggested|demand(?:s|ed)|complain(?:s|ed))"
        ),
        r"as (?:it|they|we|i|the)(?= )",
        r"given (?:that|how)",
    ),
    standing=words(
        _LASTS,
        r"they(?:re)? (?!\w+ed\b|(?:were|had|did|said|gave|got|went|came|took|made|told|sent|lost|broke|ran|left"
        r"|found|kept|fell|put)\b)\w+",
        r"(?:is|are|get|gets) \w+ed by",
        r"(?:is|are) for (?:ci|the \w+|night|nights|\w+ing)",
        r"i (?:paste|forward|multiply|compare|file|print|copy|send|share|present|explain|show|scroll|skim"
        r"|quote) (?!this\b)\w+",
        r"id rather|i prefer|(?:is|are) (?:impossible|hard|painful|easy|easier|harder) to",
        r"(?:is|are) (?:better|worse|safer|cheaper|easier|harder|nicer|faster|slower) (?:than|to|for)",
        r"i (?:need|want|read|review|check|use) (?:them|it|those|these)",
        (
            r"(?:legal|finance|support|ops|security|compliance|marketing|design|qa|product|management|sales|hr"
            r"|docs|infra|data|the \w+ team|our \w+|the \w+|half the team|reviewers?|people|customers|users"
            r"|partners|git|blame|grep|bisect|ci|github|the diff|diffs) (?:cares?|needs?|wants?|insists?"
            r"|complains?|flagged|requires?|asked|hates?|loves?|loses?|gets?|breaks?|cant|cannot|dont|doesnt"
            r"|wont|has no|have no|isnt|arent|becomes?|goes|reads?|uses?|matches|fails?|shouts?|yells?|freaks?"
            r"|objects?)"
        ),
        r"we re-?\w+ it (?:weekly|daily|monthly|nightly)|weekly|monthly|nightly",
        r"last (?:week|month|quarter|year|sprint|release|spring|summer|winter|autumn|fall)",
        (
            r"(?:back )?in (?:january|february|march|april|may|june|july|august|september|october|november"
            r"|december)"
        ),
        (
            r"(?:i|we|me|us|ops|they|someone|somebody)(?:ve|d)? (?:\w+ )?(?:got |been |was |were )+(?:burned"
            r"|burnt|bitten|bit|stung|paged|yelled at|hacked|fined|hit)"
        ),
        (
            r"(?:bit|burned|burnt|cost|ate|broke|wiped|killed|nuked|hosed|took down|brought down|locked) (?:me"
            r"|us|my|our|the|half|prod|everyone|everything)\b"
        ),
        r"takes? (?:like |about |over |almost |around |forever|ages)?\d*",
        r"is \d+ ?(?:min|minutes|hours|hrs|gb|mb|sec|s)\b",
        r"(?:our|my) (?:[\w-]+ ){1,3}?(?!(?:is|was|has|does|this|always|as|us)\b)\w{2,}(?<!s)s (?:the|an?|it|them|on"
        r"|in|at"
        r"|to|up|out|off|down|only|every|any|all|everything)",
        rf"{_HOW_MANY} (?:people|of us|teams?|devs|colleagues|[\w-]+s) (?:work|share|use|read|depend|rely|live|sit|pull"
        r"|look)",
        r"on (?:this|my) (?:laptop|machine|screen|phone|connection|terminal|mac|box)",
        r"(?:im|i am) (?:on|reading|using|usually|often|always|working) (?:a|an|my|this|on|from|in)",
        (
            r"half the time|most of the time|every time|all the time|constantly|usually|always|never|often"
            r"|keeps?|tends? to"
        ),
        (
            r"(?:our|the) (?:\w+ )?(?:ci|agents?|runners?|customers?|users?|auditors?|reviewers?|linter|parser"
            r"|tool(?:ing|chain)?|indexer|vendor|partners?|team|ops|legal|finance|support|designers?"
            r"|translators?|deploy|pipeline|bot|search|grep|monitoring|alerting|licen[cs]e|cluster|prod"
            r"|screen reader)s? (?:\w+ )?(?:runs?|cant|cannot|wont|doesnt|dont|only|parses?|reads?|chokes?"
            r"|breaks?|needs?|expects?|ships?|rejects?|complains?|hates?|uses?|relies|depends?|goes|go|has"
            r"|have|strips?|ignores?|gets?|blocks?|fails?)"
        ),
        (
            r"i (?:cant|cannot|dont|never|always|only|usually|often|read|work|review|skim|see|need|have to"
            r"|lose|end up|get|know|look|grep|want|like)\b"
        ),
        (
            r"it (?:breaks|hides|makes|gets|takes|costs|confuses|clutters|wastes|slows|messes|screws|eats"
            r"|is (?:hard|impossible|easier|noisy|slow))"
        ),
        (
            r"they(?:re)? (?:\w+ )?(?:break|hide|make|get|rot|lie|drift|cost|clutter|go|are|dont|cant|wont"
            r"|only|just|all)\b"
        ),
        (
            r"noise|noisy|churn|unreadable|hard to (?:read|review|follow|grep|revert)|easier to (?:read|review"
            r"|follow|revert|bisect)|bisect|waste of"
        ),
        r"for the why|for a reason",
        r"thats (?:for|on|up to) (?:the )?\w+",
        r"(?:\w+ )?(?:does|do|handles?|regenerates?|owns?) (?:that|those|these|it|them)(?= |$)",
        r"nobody|no one|everyone|everybody|people",
    ),
    experience=words(
        r"last time",
        (
            r"(?:i|we|me|us|ops|they|someone|somebody|he|she)(?:ve|d)? (?:\w+ )?(?:got |been |was |were "
            r"|have been )+(?:burned|burnt|bitten|bit|stung|paged|yelled at|hacked|fined|hit|flagged)"
        ),
        (
            r"(?:bit|burned|burnt|cost|ate|broke|wiped|killed|nuked|hosed|took|took down|brought down|locked"
            r"|lost|leaked|hid) (?:me|us|my|our|the|half|prod|everyone|everything|a (?:broken )?\w+|us the)\b"
        ),
        r"(?:i|we|ops|they) (?:\w+ )?(?:lost|spent|wasted|had to|ended up|nearly lost|once) ",
        r"took (?:prod|us|the site|down|everything)",
        (
            r"(?:in|back in|since|after) (?:january|february|march|april|may|june|july|august|september"
            r"|october|november|december|the (?:outage|incident|audit|breach|migration))"
        ),
        r"learned (?:that|this) the hard way|the hard way|never again",
        r"i (?:read|paste|forward|print|open|view|skim|work|file|present|multiply|copy|send|listen to) (?:these|them"
        r"|all (?:of )?(?:this|these)|(?:[\w-]+ ){0,3}(?:into|through|over|via|in|on|by) (?:an?|my|the) )",
        r"im (?:working|reading|sitting|looking at \w+) (?:through|over|behind|via|from) (?:an?|my)",
        r"last (?:year|month|quarter|spring|summer|winter|autumn|fall|sprint|release|christmas|easter)(?! we (?:changed"
        r"|moved|switched|added))",
        r"(?:have|has|ve) (?:\w+ )?(?:bitten|burned|burnt|cost|broken|hurt|stung|bit) (?:me|us|people|everyone|them)",
        r"(?:have|has|ve|weve|ive|theyve)(?: got| had)? (?:\w+ )?[^,.]{2,40} that (?:only "
        r"|just )?(?:ever )?(?:caused|broke|cost|hid|lost)",
    ),
    scope=words(
        (
            r"(?:for|in|on|under|across|anything|everything|all|any|every|each|only|whenever|when(?:ever)? you"
            r"|when we|if you|before you|before|after you|unless|in this repo|wherever|even when|even if)(?= )"
        ),
    ),
)
