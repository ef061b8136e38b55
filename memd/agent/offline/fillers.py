"""What people wrap around what they mean: greetings, "from now on", 记住. It opens or ends a sentence."""

from __future__ import annotations

import re

_PAUSE = r"[\s,.:;!…–—-]*"
_STOP = r"\s*[,.:;!…–—]+\s*"

# Nothing but these before a colon: an announcement.
_ANNOUNCING = frozenset(
    """a again also always and as at aware background be been before btw by cheap context down for from future
    fwiw fyi general good hang have head heads here heres hold house i important in is it just keep know
    last let like little long me memory mind more my new next not note notes now ok okay on once one our
    please policy preference ps quick really record remember reminder request right rule save say seats
    should side small so something standing stick sticks term that the thing things this time times to two
    up way well write yeah you your""".split()  # noqa: SIM905 - read more easily than a list
)
_ANNOUNCEMENT = re.compile(r"(?P<said>[^:\n]{2,80}):\s+(?=\S)")

LEADS_ENGLISH = (
    # Only before a pause: "no, ..." but not "no emojis".
    re.compile(
        r"(?:no|nope|nah|yes|yeah|yea|yep|yup|right|well|good|great|nice|perfect|cool|really|seriously|again|note"
        r"|context"
        r"|background|remember|so|thanks|thx|thank you|k|exactly|exactly (?:this|that)|two things?|one thing"
        r"|one (?:more|last|other) thing|sorry|wait|no wait|actually|hi(?: \w+)?|hey(?: \w+)?|as discussed"
        r"|(?:(?:and|oh)[\s,]+)?(?:one|a) (?:more|last|other|final|quick|small) (?:thing|note|rule|point|request)"
        r"(?: (?:before|while|since|as|for|from) [^,:;.!?\n]{1,40})?"
        r"|(?:small |quick )?correction|change of plans?|scratch that"
        r"|i(?:['’]?ve| have)? (?:already )?(?:told|asked) you (?:[\w ]{0,24}times?|before|already)|i keep saying"
        r"|love (?:it|that|this)"
        r"|(?:good|great|nice|right|smart|solid|perfect|excellent) (?:call|choice|move|idea|shout|decision|approach)"
        rf"|(?:that'?s|this is) (?:right|good|great|perfect|it)|makes sense|well done){_STOP}",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:ok(?:ay)?|yeah|yes|oh|ah|hm+|um+|hey|also|and|but|btw|by the way|fyi|fwiw|imho|tbh|please|pls|plz"
        r"|for (?:the record|context|the future|future reference|next time)|heads[- ]?up|from now on|going forward"
        r"|from here on(?: out)?|in (?:the )?future|like i said|as i said|(?:please )?remember (?:that|to)(?= )"
        r"|(?:please )?remember this|keep in mind(?: that)?|note that|don'?t forget (?:to|that)|so(?! (?:that|far|much"
        r"|many|long)\b)(?=\s)|i(?:['’]?ve| have)? (?:already )?(?:told|asked) you"
        r"(?: [\w ]{0,24}times?| already)? to(?= )"
        rf"|i (?:should (?:perhaps )?|might )?mention that)(?![\w'’-]){_PAUSE}",
        re.IGNORECASE,
    ),
    re.compile(r"\(?\d{1,2}[.)]\s+(?=[a-z])", re.IGNORECASE),
)
TAILS_ENGLISH = re.compile(
    r"(?:(?:\s*[,;–—-]+\s*|(?<=[.!?])\s*)(?:ok(?:ay)?|k|ty|mate|cheers"
    r"|(?:as|like) i(?:['’]?ve| have)?(?: always| already| just)? (?:keep|kept|said|say|told|mentioned)(?: \w+){0,4}"
    r"|for the \w+ time)"
    r"|(?:[\s,;–—-]+|(?<=[.!?])\s*)(?:please|pls|plz|thanks(?: a lot)?|thank you|thx|btw|from now on|going forward"
    r"|in (?:the )?future|from here on(?: out)?"
    r"|if you (?:want|need|like)(?: to (?:watch|look|check|see|have a look))?(?: (?:it|that|them|at it|there))?))"
    r"[.!?\s]*$",
    re.IGNORECASE,
)
WITHIN_ENGLISH = re.compile(
    r"(?P<kept>`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”)|,?\s*\b(?:please|pls|plz|btw|imho|tbh|lol|haha)\b(?![-_/.]\w)",
    re.IGNORECASE,
)

_STOP_CHINESE = r"[,，:：。.!！…\s]+"
LEADS_CHINESE = (
    re.compile(
        r"(?:对了?|对的|对咯|哎对咯|哎|另外|还有|顺便(?:说(?:一声|一下|下|句)?|提一句)?|话说|那就好|那行|想起来了|正好"
        r"|嗯+|哦+|噢|好(?:的|吧|嘞)?|很好|有的|可以|不错|没错|行|ok|不用查了|不用了|打住|停|背景|补充一下|记(?:住|牢|一下|下|着|得|下来)?[了啊哈哦]*|注意|划重点|先说好|说好了"
        r"|更正(?:一下)?|纠正一下|(?:走之前|最后|还有)再?(?:说|提|补充|交代)?一(?:点|件事|个事|句)"
        r"|(?:我|都|已经|跟你)*(?:说|讲|强调)过?了?(?:很多|好多|好几|多少|无数|几)(?:次|遍)了?"
        rf"|约定一下|刚散会|刚开完会|赶紧的|尽快处理|我问到了|不是|等等|算了|谢谢|辛苦了?){_STOP_CHINESE}",
        re.IGNORECASE,
    ),
    re.compile(
        r"[^,，:：。]{0,14}(?:记住|记牢|记一下|记下|长期留意|笔记里|(?:讲|说|立|定)(?:个|条)规矩|强调(?:一遍|一下)"
        r"|再说一遍|同步(?:个事|一下)|说一声|说下我的情况|有个数)[^,，:：。]{0,4}[,，:：]\s*"
    ),
    re.compile(
        r"(?:对了(?!解)|另外|顺便(?:说(?:一声|一下|下|句)?)?|话说|嗯+|以后(?!端|台)(?:都|就|请)?|今后(?:都|请)?|往后(?!推|顺|端|台)(?:都)?"
        r"|从(?:今|现在)(?:以后|往后|起|开始)(?:都|请)?|请(?!求|假|示)(?:你)?|麻烦你?|(?:你)?(?:记住|记得)(?!的))[,，\s]*"
    ),
)
TAILS_CHINESE = re.compile(
    r"[,，。\s]*(?:(?:以后|今后)(?:都|也)?(?:这样|如此|这么来|照此)|别再让我(?:说|讲|提).*|(?:请)?(?:记住|记牢|记一下)了?(?:这一?[点条个]|这件?事)?了?|谢谢|多谢|辛苦了?|拜托了?)"
    r"[。.!！~\s]*$"
)
WITHIN_CHINESE = re.compile(r"(?P<kept>`[^`\n]*`|“[^”\n]*”|「[^」\n]*」)|\s*[啊哈哦呀嘛哟咯呗啦]+(?=[,，。!！;；]|$)")


def without_announcement(text: str) -> str:
    """`text` without an opening such as "one more thing for your notes:"."""
    found = _ANNOUNCEMENT.match(text)
    if found is None:
        return "" if _announces(text) else text
    return text[found.end() :] if _announces(found["said"]) else text


def _announces(text: str) -> bool:
    said = re.findall(r"[^\W_]+", text.lower().replace("'", "").replace("’", ""))
    return bool(said) and all(word in _ANNOUNCING for word in said)
