"""How people take back or correct what they said, in English: lower case, no apostrophes ("dont")."""

from __future__ import annotations

import re

from memd.agent.offline.cues.tables import Turns, words

TURNS = Turns(
    retracts=words(
        (
            r"(?<!dont )(?<!never )(?<!to )(?<!i )(?<!always )(?<!cant )forget (?:that|it|this|about|the|what"
            r"|i (?:ever )?(?:said|wrote|told)"
            r"|everything|my|those|them|all)(?! to\b)"
        ),
        r"scratch (?:that|the|what|my)",
        r"strike that|disregard(?: (?:that|the|my|what))?",
        r"never ?mind(?: (?:that|the|about))?",
        r"ignore (?:that|what i (?:just )?said|my last|the (?:last|previous|above))",
        (
            r"(?:dont|do not|no need to|please dont|stop) (?:actually )?(?:store|save|remember|keep|record"
            r"|write (?:that|it|this) down|note|memori[sz]e|persist|h[ao]ng on to|hold on to)"
            r"(?: (?:that|it|this|any of (?:that|it|this)"
            r"|the \w+))?(?= ?[,.;!]|$| (?:anywhere|after all|please|then|either|ill|its|i|we|they))"
        ),
        (
            r"(?:erase|wipe|delete|remove|drop|scrap|strike|lose|scrub|clear|take) .{1,40} (?:from|out of"
            r"|off) (?:(?:your )?(?:notes|memory|mind|records|list|head)"
            r"|(?:whatever|what|anything|everything) you(?:ve| have)? (?:keep|kept|saved?|stored?|remember|noted?"
            r"|wrote down))"
        ),
        r"(?:throw|toss|chuck|put|take) (?:that|it|this|those|the \w+)(?: (?:one|bit))? (?:away|out|off) again",
        r"you (?:can|may|could|should) (?:now |just |safely )?(?:throw away|bin|drop|delete|strike|forget|scrub"
        r"|erase|remove|lose"
        r"|toss|discard|purge|cross out)(?: it| that| them)?(?: again| now| then| please)*(?= ?[,.;!]|$)",
        r"(?:scrub|strike|bin|drop|delete|erase|wipe|purge|remove|discard|unlearn|cross out) (?:that|this"
        r"|the \w+)(?: (?:one"
        r"|bit|note|entry|part|thing))? (?:again|out again|from there)",
        r"(?:was|were) never (?:meant|supposed|intended) to be (?:\w+ )?(?:written|kept|stored|noted|saved"
        r"|remembered|recorded"
        r"|in there)(?: \w+)*",
        r"(?:get|take|keep) (?:that|it|this|the [\w-]+) (?:out of|off) (?:your )?(?:notes?|memory|files?|head|list)",
        r"(?:not|isnt|arent) worth (?:keeping|remembering|saving|noting|storing)",
        r"shouldnt have (?:said|told|shared|posted|pasted)",
        r"(?:that|this|it)s? (?:is )?(?:no longer|not) (?:true|valid|relevant)(?: anymore)?",
        (
            r"i take (?:that|it) back|i was wrong about|drop (?:that|the) (?:rule|note|memory)|unremember"
            r"|delete (?:that|this) (?:note|memory)|remove (?:that|this|it) from (?:your )?memory|(?:that"
            r"|this)s? (?:is )?off the record|strike it|wipe that"
        ),
    ),
    jests=words(
        r"just (?:musing|kidding|joking|messing|teasing|thinking (?:out loud|aloud)|daydreaming|playing)",
        r"jk|j/k",
        r"(?:im |was )?(?:only |just )?(?:kidding|joking|jesting)",
        (
            r"not (?:serious|seriously)|dont take that seriously|that was (?:a joke|sarcasm)|sarcasm|/s"
            r"|obviously not"
        ),
    ),
    overrides=re.compile(
        r"^(?:(?:hm+|oh|ah|ok|sorry|uh)[\s,]+)*(?:no wait|wait no|wait,|correction|change of plan"
        r"|changed my mind|on second thought|scratch that|actually no|actually,? (?:make|use|lets)"
        r"|i (?:mixed|got) (?:that|it|this) (?:up|wrong)|my mistake|i was wrong)"
    ),
    corrects=words(
        (
            r"mixed (?:that|it|this) up|got (?:that|it) wrong|my mistake|heard (?:from|that|back)"
            r"|just (?:heard|told|announced|posted|called|found out)|they want|moved|slipped|after all|already"
        ),
        r"actually",
        r"(?:disregard|forget|ignore|scratch|strike) (?:what|everything) i said",
        r"scratch that",
        r"correction",
        r"i meant?",
        r"no wait|wait no|wait,",
        r"sorry,",
        r"rather",
        r"instead",
        (
            r"change of plan|changed my mind|on second thoughts?|turns out|ignore that|got (?:moved|pushed"
            r"|pulled)|not \w+ after all|update:"
        ),
    ),
)
