"""How people say what was decided, who looks after it, and what rests, in English: pieces of `english_plans`."""

from __future__ import annotations

import re

from memd.agent.offline.cues.english_parts import PERSONISH
from memd.agent.offline.cues.tables import words

_DOES = (
    r"(?:does|takes(?: on| care of| over)?|moves|switches|migrates|writes|builds|ports|tells|looks after|does|rolls"
    r"|will (?:do|take|move|switch|migrate|write|build|port|tell|handle|own|run))"
)
_DOING = r"(?:on|driving|doing|taking|handling|leading|running|looking after|moving|building|writing|owning)"
_BODY = (  # who decides in a company
    r"(?:(?:steering |working |user )?group|guild|committee|council|bosses|boss|leads?|architects?|execs?|customer"
    r"|client"
    r"|ministry|department|management|cto|ceo|vp|board|designers|owners?)"
)

FREEZE = words(
    r"freeze[sd]?|freezing",
    r"frozen",
    (
        r"(?:nothing|nobody|no one|no-one|none) (?:\w+ )?(?:goes|gets|ships|lands|merges?|deploys?"
        r"|releases?|touches|pushes|commits|changes|(?:may|can)(?! (?:log|see|sign|access|open|connect"
        r"|reach|find|use|read|get|tell|know)\b))"
    ),
    (
        r"only (?:hot ?fix(?:es)?|critical|p0s?|security fix(?:es)?|bug ?fix(?:es)?)|(?:hot ?fix(?:es)?"
        r"|bug ?fix(?:es)?) only"
    ),
    (
        r"(?:main|master|trunk|deploys?|deployments?|merges?|merging|releases?|prod|production|the branch"
        r"|ci|repo|pipeline|schema)(?: \w+){0,4} (?:paused?|halted|stopped|stops|closed|closes|blocked"
        r"|suspended|shut|off limits|read-?only|locked)"
    ),
    r"(?:code|feature)[ -]complete",
    r"(?:pause|halt|stop)s? (?:all )?(?:merges|merging|deploys|deploying|releases|releasing)",
    r"code[ -]?(?:freeze|lock)",
    r"lock(?:ed|s|ing)?(?: it| main| master| down)+|locks? (?:up |down )?(?:[\w-]+ ){1,3}down",
    r"[\w.-]+ (?:(?:is|are|gets?|will be|stays?|s) )?(?:locked|frozen|sealed|off[- ]limits"
    r"|untouchable)(?= (?:from|as of|as from"
    r"|after|on|since|starting)\b| (?:until|till) (?:mon|tues|wednes|thurs|fri|satur|sun|the \d|end of|next))",
    r"[\w.-]+ (?:locks|freezes) (?:on |from |this |next )?(?:mon|tues|wednes|thurs|fri|satur|sun)day",
    r"(?:takes?|accepts?|allows?|gets?|sees?) no (?:more |further |new )?(?:changes|commits|merges|patches|features"
    r"|migrations)",
    r"hands off [^,.]{3,40} (?:from|until|till|after)",
    (
        r"no (?:more )?(?:merges?|merging|deploys?|deployments?|deploying|releases?|schema changes?"
        r"|changes? to \w+|prod(?:uction)? changes)(?= |$)"
    ),
    r"moratorium|embargo|blackout|change ban|merge ban|lockdown",
)

DECIDED = words(
    rf"{_BODY}(?: have| has|ve)? (?:all |just |finally )*(?:picked|chose|decided|agreed|voted|approved|rejected"
    rf"|killed"
    rf"|settled|went with|dropped)",
    r"(?:moves?|switch(?:es)?|migrates?) to [\w-]+ (?:after|from|in|with|by|next)",
    (
        r"(?<!since )(?<!when )(?<!after )(?<!until )(?<!before )(?<!because )(?<!once )(?<!where )(?<!if )(?:we"
        r"|they|team|management|legal|leadership|product|board|committee|security|infra|platform"
        r"|architecture|everyone|finance|design|ops)(?:ve| have| had)? ?(?:all |just |finally |now "
        r"|already )*(?:decided|settled|agreed|chose|chosen|picked|voted|signed off|committed"
        r"|standardi[sz](?:ed|ing)|landed on|went with|ruled out|dropped|approved|rejected|killed|canned)"
    ),
    (
        r"(?:were|we are|company is|team is|org is) (?:all |now |definitely )*(?:going with|moving (?:to"
        r"|off|away)|switching (?:to|off|over)|migrating (?:to|off|from)|dropping|replacing|killing|leaving"
        r"|ditching|phasing out|adopting"
        r"|standardi[sz]ing on|retiring|sunsetting|sticking with|consolidating)"
    ),
    r"(?<!i )(?:voted|decided|agreed|ruled|settled) (?:with|by|at|last|yesterday|to|that|on|in|we|this|against"
    r"|for)",
    (
        r"(?:its|it is|its been|thats|that got|it got|that was|it was|was|been|is|got) (?:now |finally "
        r"|officially |formally )*(?:decided|settled|agreed|approved|green-?lit|greenlighted|signed off"
        r"|ratified|chosen|picked|vetoed|rejected|shelved|canned|axed|descoped|cancelled|canceled"
        r"|postponed)"
    ),
    r"(?:for the record|fyi|btw|so you know|settled|decided|final)[:, ]+its (?:now )?[\w-]+,? (?:and )?not [\w-]+",
    r"(?:outcome|verdict|conclusion|upshot|result)(?: is| was|:)",
    r"\w+ (?:it is|won|wins)(?=$|[\W])",
    r"(?:is|are) (?:out|dead|history|off the table|going away|not happening)(?=$|[\W])",
    r"(?:gets?|is|are|will be|is being|are being) (?:replaced|dropped|retired|migrated|rewritten|phased out"
    r"|shut down)",
    r"(?:were|we are) done with",
    r"we signed (?:with|up)|signed with",
    r"(?:we|they) (?:postponed|moved|pushed|cancelled|canceled|scrapped|pulled|delayed)",
    r"(?:the )?(?:final )?decision (?:is|was|from|on|came|:)|final call",
)

SETTLED_BY = words(
    (
        r"stand-?up|meeting|review|retro|planning|sync|offsite|all-?hands|design review"
        r"|arch(?:itecture)? (?:review|board|group)|rfc|adr|board|committee|steering|yesterday"
        r"|last (?:week|month|night|mon|tue|wed|thu|fri)\w*|this morning|on (?:mon|tues|wednes|thurs"
        r"|fri)day|in the (?:\w+ )?(?:call|thread|channel)"
    ),
    (
        r"instead(?=$|[,.;])|(?:instead of|rather than|over) [\w-]+(?=,| because| as| since| and|$)"
        r"|(?:the )?\w+ (?:guild|council|committee|group|board|team|leads?|chapter)|licen[cs]e|costs?"
        r"|pricing|quote|budget|cheaper|legal|compliance|contract|vendor|too expensive|silly money"
    ),
)

OWNER = re.compile(
    rf"(?<!\w)(?:{PERSONISH}(?: \w+)?(?:s team)? (?:owns|will own|is owning|is driving|is leading|leads"
    rf"|will lead|is running|runs|takes over|is taking over|took over|is on point|is handling|handles"
    rf"|is responsible|is chasing|will chase|is coordinating|coordinates|picks up|is picking up"
    rf"|has the lead|is the (?:dri|owner|contact|point person|lead))(?: (?:the|this|that|on|for|it"
    rf"|with)?\b)"
    rf"|(?<!\w){PERSONISH} {_DOES} (?:the|that|this|it|care|over|all|our|their)\b"
    rf"|(?<!\w){PERSONISH}s {_DOING} (?:it|that|this|the|care)\b|(?<!\w)(?:she|he"
    rf"|they) takes? (?:\w+ ){{1,2}}over\b"
    rf"|(?<!\w)(?:he|she|they|{PERSONISH})(?:s| is| are) (?:the )?(?:lead|owner|dri|contact)\b"
    rf"|(?<!\w)(?:{PERSONISH} (?:will )?takes? (?:the )?(?:\w+ )?(?:side|part|half|rest))\b"
    rf"|(?:owned|led|driven|handled|run|coordinated|owner|dri|contact|point person)(?: is| by|:) {PERSONISH})"
)

OWNS_WORK = words(
    rf"{PERSONISH}(?: \w+)?(?:s team)? (?:owns|will own|is driving|is leading|leads|drives|will lead"
    rf"|runs|is running|takes over|is taking over|took over|is on point for|handles|is handling"
    rf"|is responsible for|coordinates|is coordinating) (?:the |this "
    rf"|our )?(?:[\w-]+ ){{0,3}}(?:rewrite|migration|rollout|roll-out|cut-?over|launch|project|refactor"
    rf"|release|redesign|port|epic|initiative|effort|workstream|audit|incident|postmortem|rebrand"
    rf"|integration|upgrade|transition|handover|deprecation|cleanup|rename)"
)
