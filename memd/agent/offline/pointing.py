"""Rules that only point at what they mean: "holds for every screen", 以后都这样."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memd.agent.offline import vetoes, wording, words, work
from memd.agent.offline.model import Said, Sentence
from memd.agent.offline.reading import cues

_GOES_ON = re.compile(
    r"(?:以后|今后|往后|每次|下次|一直|都|也|就|要|得|是|对|嗯|好|行|嘛|啦|吧|哈|这样|这么|照这个?|按这个?|如此|同样|一样"
    r"|来|办|做|干|弄|写|处理|保持|记住|记着|了|的|可以|没错|ok)+"
)
_SCANT = 1  # content words, at most
_SAYS = 1  # content words of a rule that says what it is about
_RULED = frozenset({*work.EXPLICIT, work.Sign.FORBIDS, work.Sign.LASTING, work.Sign.UNIVERSAL, work.Sign.PREFERENCE})
_POINTS = re.compile(
    r"^(?:(?:and|ok|so|please)[\s,]+)*(?:(?:(?:that|this|it|same|which|both) )?(?:holds|goes|applies|counts|stands)"
    r"|same (?:thing )?(?:for|goes|when\w*|with|in))\b(?: (?:for|to|in|with|when\w*|if))? (?:every|all|any|each|both"
    r"|the other|our|whatever|everything|anything|a|an)\b"
)
_THAT_IS_HOW = re.compile(r"^(?:[^,:]{1,60}[,:]\s*)?(?:so )?thats (?:exactly |just |pretty much )?(?:how|the way)\b")
_NEAREST = 2  # sentences before, at most, that it may mean


def stands_alone(block: Sequence[Sentence]) -> bool:
    """Whether a rule says something by itself."""
    return not _bare(block) and not (len(block) == 1 and _points(block[0]))


def says_how(sentence: Sentence) -> bool:
    """Whether it only says of what the agent proposed or did that it is how things are to be done."""
    return _THAT_IS_HOW.search(sentence.cue) is not None


def _points(sentence: Sentence) -> bool:
    """Whether it only says for what else a rule holds."""
    return not sentence.chinese and _POINTS.search(sentence.cue) is not None


def _before(sentence: Sentence, said: Said) -> tuple[str, ...]:
    """The orders that stand nearest before it in its message."""
    place = said.sentences.index(sentence) if sentence in said.sentences else 0
    orders = [s.text for s in said.sentences[:place] if work.directs(s) and not work.barred(s)]
    return tuple(orders[-_NEAREST:])


def _bare(block: Sequence[Sentence]) -> bool:
    """Whether a rule says nothing but that it goes on like this: 往后也是, 以后都这样."""
    return all(s.chinese and len(words.content(_GOES_ON.sub(" ", s.cue))) < _SAYS for s in block)


def _rules(sentence: Sentence) -> bool:
    return not vetoes.asks(sentence) and bool(work.own(sentence) & _RULED)


def _scant(block: Sequence[Sentence]) -> bool:
    """Whether a rule says too little to be understood on another day: "just PRs from here on"."""
    said = words.content(" ".join(wording.tidy(s.text) for s in block))
    return len(said) <= _SCANT and not any(work.own(s) & {work.Sign.PREFERENCE, work.Sign.HABIT} for s in block)


def meant(block: Sequence[Sentence], said: Said) -> tuple[str, ...]:
    """What the person said last about the same, where the rule only points at it: "everywhere like this"."""
    if _points(block[0]):
        return _before(block[0], said)
    if _bare(block) or _scant(block):
        return _before(block[0], said) or tuple(s.text for s in said.earlier if _rules(s))
    pointing = [s for s in block if s.chinese and cues(s).work.anaphora.search(s.cue)]
    if not any(cues(s).work.repeated.search(s.cue) for s in pointing):
        return tuple(s.text for s in said.earlier if _rules(s))[-_NEAREST:] if pointing else ()
    wanted = words.content(" ".join(s.text for s in block))
    near = [s for s in said.earlier if not vetoes.asks(s) and words.content(s.text) & wanted]
    return (near[-1].text,) if near else ()
