"""Confirmed choices: the person approves of what the agent chose, for other times too."""

from __future__ import annotations

import re

from memd.agent.offline import vetoes, words, work
from memd.agent.offline.model import Said, Sentence
from memd.agent.offline.reading import cues
from memd.agent.offline.sentences import sentence as simplified

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_PROSE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n+")
_CHOSE = re.compile(
    r"^(?:i|ive|id|ill) \w+ |\b(?:i|ive|i have|id|i would)\b.{0,20}\b(?:kept|used|put"
    r"|made|chose|went|do|did|left|wrote|skipped|split"
    r"|grouped|named|added|avoided|picked|wrapped|opened|ran|moved|started)\b"
    r"|\binstead of\b|\brather than\b|\bnot\b.{1,30}\bbut\b"
    r"|我(?:没有?|选|把|用|按|先|只|拆|放|改|留|保留|打算|写)|而是|宁可|没有.{1,20}而是|分成|拆成"
)
_ASSENT = re.compile(r"(?:yes|yeah|yep|yup|exactly|agreed|sure)\b|(?:对|是的|没错|同意|就这样)")
_IN_SHORT = re.compile(  # "compare first, then switch"
    r"^(?!(?:ok|now|then|next|and|also|but|please|merge|push|ship|go|commit|deploy|run)\b)"
    r"(?:[\w-]+ ){1,5}first, (?:and )?"
    r"(?:then|only then|after that) [\w ]+\W*$|^(?:so|meaning|i\.?e\.?|that is)[:,]? \w+"
)
_BRIEF = 2  # words
_NO = re.compile(r"\bno\b|\bnot\b")
_SAYS = 2  # content words, at least, of a rule that something can point at
_LONGEST = 400  # characters of a proposal worth keeping
_CHOICE = 3.0  # words in common that a word of choosing is worth
_AGE = 1.0  # the same for each turn that a sentence is older


def confirmed(sentence: Sentence, said: Said) -> bool:
    """Whether this sentence approves of the assistant's choice for more than this once."""
    if not said.before or vetoes.asks(sentence):
        return False
    table = cues(sentence)
    if _this_once(sentence) or _own_rule(sentence, said):
        return False
    agrees = _ASSENT.match(sentence.cue) or cues(said.sentences[0]).choices.agrees.search(said.sentences[0].cue)
    praised = table.choices.praises.search(sentence.cue) is not None or _points_at_praise(sentence, said)
    lasting = table.work.durable.search(sentence.cue) or table.choices.likewise.search(sentence.cue)
    if (praised and lasting) or (agrees is not None and table.choices.carries_over.search(sentence.cue)):
        return True
    return (
        (agrees is not None or _after_assent(sentence, said))
        and table.work.durable.search(sentence.cue) is not None
        and table.work.anaphora.search(sentence.cue) is not None
    )


def _after_assent(sentence: Sentence, said: Said) -> bool:
    """Whether a word or two stand right before it that neither order nor object: "convinced." or "sold."."""
    opening = said.sentences[0]
    table = cues(opening)
    brief = not opening.chinese and len(opening.cue.split()) <= _BRIEF
    if not brief or sentence not in said.sentences[1:2] or _NO.search(opening.cue):
        return False
    return not (vetoes.asks(opening) or work.directs(opening) or table.work.protests.search(opening.cue))


def _points_at_praise(sentence: Sentence, said: Said) -> bool:
    """Whether the sentence before praises a choice, and this one points at it: "good call. same thing whenever ..."."""
    work_cues = cues(sentence).work
    return bool(praise(sentence, said)) and work_cues.anaphora.search(sentence.cue) is not None


def praise(sentence: Sentence, said: Said) -> tuple[str, ...]:
    """The sentence before, where it praises a choice and says which."""
    place = said.sentences.index(sentence) if sentence in said.sentences else 0
    before = said.sentences[place - 1] if place else None
    if before is None or before.chinese or vetoes.asks(before) or not cues(before).choices.praises.search(before.cue):
        return ()
    return (before.text,)


def approves(said: Said) -> bool:
    """Whether the message opens with praise for a choice."""
    opening = said.sentences[0]
    praised = cues(opening).choices.praises.search(opening.cue)
    return bool(praised) and not opening.chinese and not vetoes.asks(opening)


def spells_out(sentence: Sentence, before: Sentence) -> bool:
    """Whether it says what the sentence before only points at: "that's how i want it. shadow first, then switch"."""
    points = cues(before).work.anaphora.search(before.cue)
    return bool(points and not sentence.chinese and _IN_SHORT.search(sentence.cue))


def _own_rule(sentence: Sentence, said: Said) -> bool:
    """Whether it points at a rule that the same message has just given, and so at nothing of the assistant's."""
    place = said.sentences.index(sentence) if sentence in said.sentences else 0
    if not cues(sentence).work.anaphora.search(sentence.cue):
        return False
    praised = any(cues(s).choices.praises.search(s.cue) for s in said.sentences if s is not sentence)
    return any(map(_gives_rule, said.sentences[:place])) or (not praised and any(map(_gives_rule, said.earlier)))


def _gives_rule(sentence: Sentence) -> bool:
    """Whether it gives a rule, and does not praise one."""
    if vetoes.asks(sentence) or cues(sentence).choices.praises.search(sentence.cue):
        return False
    ruled = {work.Sign.FORBIDS, work.Sign.LASTING, work.Sign.UNIVERSAL, work.Sign.HABIT, work.Sign.BOUND}
    return bool(work.own(sentence) & ruled) and len(words.content(sentence.text)) >= _SAYS


def _this_once(sentence: Sentence) -> bool:
    """Whether a one-off word stands there, and no other clause says that it holds for others too."""
    table = cues(sentence)
    once = [clause for clause in sentence.clauses() if table.vetoes.one_off.search(clause)]
    lasting = [c for c in sentence.clauses() if table.work.durable.search(c) or table.choices.likewise.search(c)]
    return bool(once) and not set(lasting) - set(once)


def proposal(said: Said, reply: str) -> str | None:
    """The assistant's sentence that the reply confirms: closest in words, telling of a choice, latest."""
    best: tuple[float, str] | None = None
    wanted = words.content(reply)
    for age, text in enumerate(reversed(said.before)):
        for candidate in _sentences(text):
            common = len(words.content(candidate) & wanted)
            score = common + (_CHOICE if _CHOSE.search(simplified(candidate).cue) else 0) - age * _AGE
            if best is None or score > best[0]:
                best = (score, _with_next(candidate, text))
    return best[1] if best else None


def _with_next(sentence: str, text: str) -> str:
    """A sentence and the one after it in its paragraph, verbatim: a choice is often named before it is described."""
    start = text.find(sentence)
    line = text[start:].split("\n", 1)[0]
    parts = [part for part in _PROSE_END.split(line) if part.strip()][:2]
    whole = line[: line.index(parts[-1]) + len(parts[-1])].strip() if parts else sentence
    return whole if len(whole) <= _LONGEST and not vetoes.secret(whole) else sentence


def _sentences(text: str) -> list[str]:
    prose = [s.strip(" -*#\t") for s in _PROSE_END.split(_FENCE.sub("\n", text))]
    return [s for s in prose if 12 <= len(s) <= _LONGEST and not vetoes.secret(s)]  # noqa: PLR2004 - a few words at least
