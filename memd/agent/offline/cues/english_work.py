"""How people tell an agent how to work, in English: lower case, no apostrophes ("dont")."""

from __future__ import annotations

import re

from memd.agent.offline.cues.english_customs import (
    BOUNDS,
    FOR_KIND,
    KIND,
    MINE,
    NO_OBJECT,
    NORMS,
    PREPOSED,
    STICKS,
    TEAM_WAY,
    TELL_ME,
    TO_ME,
    TONE,
    UNASKED,
    VERBLESS,
)
from memd.agent.offline.cues.english_parts import (
    ACT,
    CONDITION,
    CRAFT,
    FILLER,
    HABITUAL,
    HAPPENS,
    NEEDS,
    ORDER,
    TALKING,
    WORKING,
)
from memd.agent.offline.cues.tables import Work, words

WORK = Work(
    request=words(
        r"(?<!do you )(?<!cant )(?<!dont )(?<!i )(?<!you )(?<!to )"
        r"(?<!ill )(?<!we )(?<!that )(?<!user )(?<!will )remember"
        rf"{NO_OBJECT}(?! (?:to|me|my (?:choice|login|device|settings?|password)|when|how (?:we|i|to)|what|why|where"
        r"|who|the (?:time|bug|issue)|last)\b)(?!-)",
        r"keep (?:it |that |this |these |one thing |two things |a few things )?in mind"
        r"(?!(?: that)? (?:this|the|it|these|those|an?|each) (?:[\w-]+ ){0,2}(?:may|can|might|could)\b)",
        r"(?:two|three|a few|some|couple of|\d) things to (?:keep in mind|remember|note)",
        r"(?:make|take) (?:a |a mental )?note",
        (
            r"(?<!dont )(?<!to )(?<!we )(?<!i )(?<!you )(?<!they )(?<!cant )"
            r"(?:save|store|note|record|write|jot|file) (?:this|that|it)(?: one)?(?: (?:down"
            r"|away))?(?: (?:for (?:later|next time|future))|(?= ?[:,]|$))"
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
    ),
    durable=words(
        r"(?:can|could|would) (?:you|u) (?:please |pls |just )?(?:never|stop)",
        r"from (?:now|here|this point|today)(?: on)?(?: out| in| onwards?| forward)",
        r"from (?:now|here|this point) on|from this point(?=,? (?:i|we|you|please|no|only|all|every)\b)|from today(?: on(?:wards?)?)?(?=[ ,])",
        r"(?:going|moving) forward",
        r"for (?:the )?future(?! (?:versions?|releases?|use|work|extension))",
        r"once and for all",
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
    ),
    onwards=words(
        r"from (?:now|here|this point|today)(?: on)?(?: out| in| onwards?| forward)?|(?:going|moving) forward"
        r"|without exception"
        r"|no exceptions|off[- ]limits|ever(?: again)?\W*$",
    ),
    lasting=words(
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
            r"|tag|branch) [^,.]{2,40} (?:here|in this repo|on this team|around here)(?=$|[,.;]| so)"
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
    ),
    universal=words(
        r"every(?! (?:mon|tues|wednes|thurs|fri|satur|sun)day| day| hour| minute| second| night| morning|\d| \d)",
        r"any",
        r"all",
        r"each",
        r"everything",
        r"anything",
        r"at all",
    ),
    sweep=re.compile(
        rf"^{FILLER}(?:fix|update|rename|remove|delete|list|find|replace|convert|migrate|move|re-?run|run"
        rf"|check|change|clean|format|bump|upgrade|print|show|count|apply|merge|revert|drop|kill|restart"
        rf"|commit|push|sort|collect|export|import|go through|look (?:at|for|through)|search|grep|scan|read"
        rf"|rebuild|regenerate|test|add|undo|strip|extract|port|translate|review|compare|get|pull|copy"
        rf"|close)\b"
    ),
    directive=re.compile(
        rf"^{FILLER}{CONDITION}{FILLER}(?:{HABITUAL}|{ORDER}|{VERBLESS}|{NEEDS}\s+\S"
        rf"|(?!(?:all|the|this|that|these|those|it)\b)(?:[\w-]+ ){{1,5}}(?:please|pls)$"
        rf"|{ACT}\b(?!\s*{HAPPENS}\b))"
    ),
    forbids=re.compile(
        rf"^{FILLER}{CONDITION}{FILLER}(?:less|fewer|never|dont|do not|must not|no more|no|not|stop|quit"
        rf"|avoid|hands off|leave [\w -]{{2,30}}?(?= alone| out(?! of)| off)|you (?:shouldnt|mustnt|should not"
        rf"|must not|should never)"
        rf"|we (?:never|dont|do not)"
        rf"|lets not|only)\s+\S"
    ),
    habit=words(
        r"stop doing (?:that|this|it)|i (?:keep |just )?(?:notice|noticed|see|seeing) (?:that )?you (?!have|had|did|were|are|got)\w+",
        rf"(?:no|less|fewer|drop the|skip the|enough (?:of )?(?:the|with the)?) (?:more )?{TONE}",
        rf"(?:stop|quit|refrain from) {WORKING} (?:me|my|so many|such|all (?:those|these|the)|whole|entire|{CRAFT})",
        (
            rf"(?:stop|quit|enough with(?: the)?|knock off(?: the)?|no more|cut out(?: the)?|lay off(?: the)?"
            rf"|refrain from|avoid) {TALKING}(?! and (?:just )?(?:read|look|fix|check|run|do|try|start"
            rf"|tell)\b)(?! (?:this|that|it|here|the (?:server|process|container|job"
            rf"|service))\b)"
        ),
        rf"(?:stop|quit) (?:with )?(?:all )?the (?:\w+ )?{CRAFT}",
        (
            r"(?:cut|drop|lose|skip|spare me|enough (?:with|of)) (?:all )?the (?:\w+ )?(?:pep talks?|apologies"
            r"|flattery|praise|preambles?|recaps?|summaries|disclaimers|emojis?|caveats|small ?talk|intros?"
            r"|pleasantries|fluff|filler|essays|lectures)"
        ),
        (
            r"you(?:ve| have)? (?:been wrong|done (?:this|that|it)|made (?:this|that) mistake"
            r"|broken \w+) (?:\w+ )?(?:times|again|before)"
        ),
        rf"you (?:always|keep(?: on)?|kept|constantly|never) {TALKING}",
    ),
    craft=words(
        rf"(?<!\bthe )(?<!\ba )(?<!\ban )(?<!\bthis )(?<!\bthat )"
        rf"(?<!\bthese )(?<!\bthose ){CRAFT}"
    ),
    preference=words(
        (
            r"i (?:really |do |always )?(?:like|love) (?!(?:the|this|that|it|how|your|what|where|these|those"
            r"|to)\b)(?:my |our |all )?(?:[\w-]+ ){0,2}[\w-]+s\b(?! up\b)"
        ),
        (
            r"(?<!saying )(?<!says )(?<!thinks )i (?:really |much |strongly |generally |usually |always |tend to "
            r"|personally )*prefer(?! (?:the"
            r"|this|that|it|your) )"
        ),
        (
            r"i (?:really |absolutely |just )*(?:hate|dislike|cant stand|despise|am allergic to)(?! (?:this"
            r"|that|it|you|my|mondays?|tuesdays?|life|work|mornings?|meetings?|weather|when (?:it|this|that))\b)"
        ),
        (
            r"(?:im|i am) (?:not )?(?:really |just )?(?:a (?:big |huge )?fan of|not a fan of"
            r"|allergic to)(?! (?:this|that|it)\b)"
        ),
        r"(?:i|we) (?:always |really |usually |generally )?(?:like|want|expect) (?:my|our) ",
        r"(?:the way|how) i (?:like|prefer|want|read|work)",
        r"my preference (?:is|would be)",
        r"what i (?:like|want|need|expect|look for) (?:in|from|when|of) (?!(?:this|that|the|it)\b)",
    ),
    wants=words(
        (
            r"i (?:really |actually |just )*(?:dont|do not) (?:want|like|need)(?: any| to see)? (?!this|that"
            r"|it\b|to (?:go|do|touch|change|use|spend|wait|make|break|lose)\b)"
        ),
        (
            r"(?:id|i would) (?:much |always |really |strongly )*(?:rather|prefer|appreciate)(?: (?:you"
            r"|it if you|if you|to (?:have|see|get|read)))"
        ),
        rf"i (?:do |always |really )?(?:want|need|expect|like) (?:\w+ ){{1,5}}(?:in|on|with|for) (?:my |our "
        rf"|your )?{CRAFT}",
        r"i (?:do )?(?:want|need|expect) (?:\w+ ){1,5}(?:on|in|for|with|before) (?:every|all|each|any)",
    ),
    repeated=words(
        r"each time|(?:third|fourth|fifth|umpteenth) time (?:now|already|today)",
        r"again",
        r"i (?:already )?(?:said|told|asked)",
        r"told you",
        r"as i said",
        r"like i said",
        r"how many times",
        r"(?:second|third|2nd|3rd|nth) time",
        r"still",
        r"keep (?:on )?\w+ing",
        r"yet another",
        r"really",
        r"i repeat",
        r"once more",
    ),
    aside=words(
        r"btw|by the way|fyi|fwiw|for the record|just so you know|side ?note|heads up|one (?:more )?thing"
        r"|in case (?:it|you)|for context|small (?:thing|request|ask)|quick (?:thing|note|request|ask)"
        r"|general (?:note|request|ask)|please note|psa|note"
    ),
    norm=re.compile(
        rf"^{FILLER}(?!(?:this|that|these|those|it|its|thats|theres|yes|thanks|tests?|lets|is|was|has|does|us|as"
        rf"|always|plus|ours|hers|his|looks|seems|works|makes|means"
        rf"|needs)\b)(?:{KIND}(?: {PREPOSED} [\w-]+(?: [\w-]+)?)?"
        rf",? (?:{NORMS})\b|(?:plain|simple|short|flat) [\w-]+s\b)"
    ),
    bound=re.compile(
        rf"^{FILLER}(?:one|a single|two|three|no more than \w+) [\w-]+ (?:per|for each|for every) [\w-]+|"
        rf"^{FILLER}(?!(?:it|this|that|the|there|he|she)\b)[\w-]+ (?:goes|belongs|lives|stays) (?:in|into|under) (?:its|their|a) "
        r"(?:own|separate)\b|"
        rf"^(?!.*\b(?:for|of|in|on|to) (?:the|this|that|these) .*please$){FILLER}(?:(?:the )?{CRAFT}|(?!(?:this|that"
        rf"|these|those|it|its|the|his|was|has|does|us)\b)(?:[\w-]+ ){{0,2}}"
        rf"[\w-]{{3,}}(?<!s)s)(?: {PREPOSED} (?:[\w-]+ )?[\w-]+)?"
        rf"(?:,? (?:{BOUNDS})\b|[^,.]{{3,60}}\bplease$|: \w+ (?:them|those)\b)"
    ),
    protests=re.compile(
        r"^(?:(?:oh|ah|hm+|uh|ok|okay|hey|sorry|well)[\s,.!]+)*(?:no\b|nope|nah|whoa|woah|ugh|argh|eek|ouch|yikes|stop"
        r"|not (?:like|that|again|in|ok|so|mine|yours)|never|undo|revert|roll (?:it|that) back|put (?:\w+ ){1,3}back"
        r"|take (?:it|that|them) out|out with|too \w+|way (?:too|over)|why (?:did|are|do) you|who (?:told|asked)"
        r"|please (?:dont|no|not)|dont|do not|same thing again|come on|(?:second|third|fourth) time|i (?:asked|said"
        r"|told)"
        r"|only \w+ the|wrong|hands off|excuse me|what happened|wait what|(?:\w+ )?(?:yes|ok|fine), .{1,40}\bno\b"
        r"|\w+ is my job)"
    ),
    between_us=words(
        rf"please|pls|everywhere|i|im|ive|id|me|my|you|your|youre|we|were|our|ours|us|here|(?:this|the) (?:codebase"
        rf"|repo|project|monorepo)|nobody|no one|everyone|everybody|yourself|{CRAFT}",
    ),
    anaphora=words(
        r"(?:that|this)(?:s| is) how",
        r"like (?:this|that)",
        r"this way",
        r"that way",
        r"(?:do|keep|use|exactly|just) (?:this|that|it|so)",
        r"the same",
        r"same (?:approach|way|pattern|thing|deal|shape|style|format|structure|treatment|again)",
        r"them",
        r"those",
        r"more of (?:this|that|these)",
    ),
    next_point=re.compile(
        r"^(?:also|and also|btw|ps|p\.s\.|by the way|oh and|one more|another thing|and another|fyi"
        r"|separately|unrelated|second|next)\b|^\d\)"
    ),
    task=re.compile(
        r"^(?:(?:ok|okay|now|then|and|so|please|pls|great|cool|yes|right|next)[\s,]+)*(?:write|add"
        r"|implement|create|build|make|give|generate|extend|port|convert|design|sketch|need|new|i need"
        r"|we need|lets (?:add|build|write|make|do|have)|can you (?:write|add|build|make|create"
        r"|implement)) (?:me |us |up |in )*(?:a|an|the|another|some|one|two|new|it|that|this)\b"
    ),
)
