"""How people tell an agent how to work, in English: lower case, no apostrophes ("dont")."""

from __future__ import annotations

import re

from memd.agent.offline.cues.english_customs import (
    BOUNDS,
    KIND,
    NORMS,
    PREPOSED,
    TONE,
    VERBLESS,
)
from memd.agent.offline.cues.english_lasting import DURABLE, LASTING, ONWARDS, REQUEST, UNIVERSAL
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
    request=REQUEST,
    durable=DURABLE,
    onwards=ONWARDS,
    lasting=LASTING,
    universal=UNIVERSAL,
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
        rf"^{FILLER}{CONDITION}{FILLER}(?:less|fewer|never(?! \w+[^su\W]s\b)|dont|do not|must not|no more|no|not|stop"
        rf"|quit"
        rf"|avoid|hands off|leave [\w -]{{2,30}}?(?= alone| out(?! of)| off)|you (?:shouldnt|mustnt|should not"
        rf"|must not|should never)"
        rf"|we (?:never|dont|do not)"
        rf"|lets not|only)\s+\S"
    ),
    habit=words(
        r"stop doing (?:that|this|it)|i (?:keep |just )?(?:notice|noticed|see|seeing) (?:that )?you (?!have|had|did"
        r"|were|are|got)\w+",
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
        r"i never want (?:[\w-]+ ){0,2}[\w-]+s\b",
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
        rf"^{FILLER}(?!(?:it|this|that|the|there|he|she)\b)[\w-]+ (?:goes|belongs|lives|stays) (?:in|into"
        rf"|under) (?:its|their|a) "
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
        r"|separately|unrelated|second|next)\b|^\(?[a-d\d]\)"
    ),
    task=re.compile(
        r"^(?:(?:ok|okay|now|then|and|so|please|pls|great|cool|yes|right|next)[\s,]+)*(?:write|add"
        r"|implement|create|build|make|give|generate|extend|port|convert|design|sketch|need|new|i need"
        r"|we need|lets (?:add|build|write|make|do|have)|can you (?:write|add|build|make|create"
        r"|implement)) (?:me |us |up |in )*(?:a|an|the|another|some|one|two|new|it|that|this)\b"
    ),
)
