"""What a backend makes of notes and memories on a private copy, before anybody judges it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from memd import files
from memd.agent import fates, money
from memd.agent.backend import Dream, Note, Task
from memd.agent.fates import Claim
from memd.agent.meter import Meter
from memd.agent.money import Purse
from memd.dream import conversations, judge, origins
from memd.dream.backlog import Chunk
from memd.dream.gates import Place
from memd.dream.ground import Ground, topics_of
from memd.dream.house import House
from memd.errors import UnsafePathError
from memd.failpoints import failpoint
from memd.ledger.nouns import DREAM
from memd.memory import forget, topic, workspace
from memd.memory.layout import INDEX
from memd.memory.quotes import Utterance
from memd.memory.workspace import Change, Problem, Workspace

TURNS, SECONDS = 15, 600.0  # of a backend that works in turns
_ACCOUNT_LIMIT = 256 * 1024  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a backend did to its copy, not judged yet."""

    topics: Mapping[str, bytes]  # as they were
    index: bytes | None  # likewise
    changes: tuple[Change, ...]
    claims: tuple[Claim, ...]
    said: tuple[Utterance, ...]  # what it was shown, and may quote
    odd: tuple[Problem, ...]

    @property
    def wanted(self) -> Mapping[str, bytes]:
        """The topics as the backend wants them."""
        return judge.after(self.topics, self.changes)


def purse(house: House, place: Place) -> Purse | None:
    """What a dream may spend: its own cap in dollars, and tokens in proportion to that of a pass."""
    if house.account is None:
        return None
    caps = house.settings.caps
    times = max(1.0, caps.dream_dollars / caps.pass_dollars) if caps.pass_dollars else 1.0
    more = replace(caps, pass_tokens=int(caps.pass_tokens * times))
    return Purse(
        ledger=house.ledger,
        clock=house.clock,
        settings=replace(house.settings, caps=more),
        account=house.account,
        project=str(place.root),
        kind=DREAM,
    )


def draft(chunk: Chunk, hidden: Collection[str], on: Ground, house: House, meter: Meter | None) -> Draft:
    """Let the backend work on a private copy, without the notes that it is not to see."""
    with workspace.make(on.memory_dir, house.paths.scratch) as work:
        topics = topics_of(work)
        task, said = _task(work, chunk, topics, hidden, on, house)
        _ask(task, on.place, house, meter)
        failpoint("dream.proposed")
        changes, odd = workspace.examine(work)
        claims = fates.parse(_account(work))
    return Draft(
        topics=topics,
        index=work.base.get(INDEX),
        changes=judge.with_removals(changes, claims, work.base),
        claims=claims,
        said=(*said, *_searched(task)),
        odd=odd,
    )


def _task(
    work: Workspace,
    chunk: Chunk,
    topics: Mapping[str, bytes],
    hidden: Collection[str],
    on: Ground,
    house: House,
) -> tuple[Task, tuple[Utterance, ...]]:
    """The task, and the window that its quotes have to stand in."""
    shown: dict[str, Note] = {one.id: one.note for one in chunk.notes if one.id not in hidden}
    sound = {path: data for path, data in topics.items() if not topic.parse(data).problems}
    classes = origins.classes(sound, on.quotes)
    said = origins.window(sound, classes, shown)
    task = Task(
        workspace=work,
        new=said,
        now=house.clock.now(),
        project=on.place.root if on.place.root.is_dir() else None,
        seconds=SECONDS,
        max_turns=TURNS,
        protected=on.foreign,
        dream=Dream(
            notes=tuple(shown.values()),
            classes=classes,
            conversations=conversations.of(on.place, house, forget.bars(on.records, on.memory_dir)),
        ),
    )
    return task, said


def _searched(task: Task) -> tuple[Utterance, ...]:
    """What the backend was shown of conversations: it may be quoted, as the words of whoever said it."""
    searched = task.dream.conversations if task.dream is not None else None
    return () if searched is None else searched.shown


def _ask(task: Task, place: Place, house: House, meter: Meter | None) -> None:
    own = purse(house, place)
    if own is None or meter is None:
        house.backend.propose(task)
        return
    money.admit(own)
    money.asking(own, lambda: house.backend.propose(replace(task, meter=meter)))


def _account(work: Workspace) -> bytes:
    """What the backend says became of notes and files; nothing where something odd stands there."""
    try:
        with files.open_directory(work.bullets.parent) as root:
            return files.read_regular(root, work.bullets.name, limit=_ACCOUNT_LIMIT) or b""
    except (UnsafePathError, PermissionError):
        return b""
