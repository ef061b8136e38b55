"""In whatever order two passes and a hand edit meet, nothing that anybody wrote is lost."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.errors import RefusedError
from memd.memory import forget, history, pin, store, topic
from memd.memory.journal import RunNote
from memd.memory.store import Plan
from memd.memory.topic import TopicType
from memd.memory.workspace import Change
from tests.fakes import transaction as example

PATHS = ("user_a.md", "user_b.md")
WORDS = st.text(alphabet="abcdefgh ", min_size=3, max_size=20).map(lambda text: " ".join(text.split())).filter(bool)
SIDE = st.dictionaries(st.sampled_from(PATHS), WORDS, min_size=1)


def rendered(words: str) -> bytes:
    return topic.render("x", words, TopicType.USER, words)


def standing(root: Path) -> dict[str, bytes]:
    """Every topic as it is."""
    return {path.name: path.read_bytes() for path in (root / "memory").glob("user_*.md")}


def proposed(base: dict[str, bytes], words: dict[str, str]) -> tuple[Change, ...]:
    """What a pass that saw `base` wants."""
    return tuple(Change(path=path, before=base.get(path), after=rendered(text)) for path, text in words.items())


def kept(root: Path) -> str:
    """Everything that can still be read: live files, logs, and every image in the history."""
    return "\n".join(path.read_text() for path in root.rglob("*") if path.is_file())


@settings(max_examples=10, deadline=None)
@given(start=st.dictionaries(st.sampled_from(PATHS), WORDS), first=SIDE, second=SIDE, hand=SIDE)
def test_two_passes_and_a_hand_edit_in_any_order(
    start: dict[str, str], first: dict[str, str], second: dict[str, str], hand: dict[str, str]
) -> None:
    for order in permutations(range(3)):
        with example.quick_directory() as root:
            _meet(root, start, (first, second, hand), order)


def _meet(
    root: Path,
    start: dict[str, str],
    sides: tuple[dict[str, str], dict[str, str], dict[str, str]],
    order: tuple[int, ...],
) -> None:
    """Both passes saw the same beginning; each side acts when its turn comes."""
    (root / "memory").mkdir()
    for path, text in start.items():
        (root / "memory" / path).write_bytes(rendered(text))
    base = standing(root)
    live, listed = dict(start), set[str]()
    for side in order:
        if side == 2:
            for path, text in sides[side].items():
                (root / "memory" / path).write_bytes(rendered(text))
            live |= sides[side]
            continue
        changes = proposed(base, sides[side])
        applied = store.apply(root / "memory", changes, run=example.NOTE, history=root / "history")
        lost = {change.path for change in applied.conflicts}  # and what changed nothing claims nothing
        lost |= {change.path for change in changes if change.before == change.after}
        live |= {path: text for path, text in sides[side].items() if path not in lost}
        listed |= {file.path for file in applied.files}
    assert standing(root) == {path: rendered(text) for path, text in live.items()}
    everything = kept(root)
    said = [text for side in sides[:2] for path, text in side.items() if base.get(path) != rendered(text)]
    assert [text for text in said if text not in everything] == []
    index = (root / "memory" / "MEMORY.md").read_text() if listed else ""
    assert all(f"]({path})" in index for path in listed - {"MEMORY.md"})


def _pinned(root: Path, path: str, before: bytes) -> int:
    change = Change(path=path, before=before, after=pin.pinned(before, on=True))
    note = RunNote(kind="pin", started=example.NOW)
    plan = Plan(changes=(change,), keeps_index=True)
    return store.transact(root / "memory", lambda _: plan, run=note, history=root / "history").run_id


def _forgotten(root: Path, path: str, before: bytes) -> int:
    stone = forget.tombstone(path, before, tuple(history.runs(root / "history")), root / "memory")
    note = RunNote(kind="forget", started=example.NOW, forgets=(stone,))
    plan = Plan(changes=(Change(path=path, before=before, after=None),))
    return store.transact(root / "memory", lambda _: plan, run=note, history=root / "history").run_id


@pytest.mark.parametrize("act", [_pinned, _forgotten])
@settings(max_examples=40, deadline=None)
@given(
    words=WORDS, crlf=st.booleans(), index=st.sampled_from([b"", b"# Mine\r\n", b"# Mine\n- [T](user_a.md) - by hand"])
)
def test_undoing_a_persons_change_is_identity(
    act: Callable[[Path, str, bytes], int], words: str, *, crlf: bool, index: bytes
) -> None:
    with example.quick_directory() as root:
        (root / "memory").mkdir()
        data = rendered(words).replace(b"\n", b"\r\n" if crlf else b"\n")
        (root / "memory" / "user_a.md").write_bytes(data)
        (root / "memory" / "MEMORY.md").write_bytes(index)
        number = act(root, "user_a.md", data)
        assert standing(root) != {"user_a.md": data}
        back = history.undo(number, history=root / "history", now=example.NOW)
        assert standing(root) == {"user_a.md": data}
        assert (root / "memory" / "MEMORY.md").read_bytes() == index
        history.undo(back.run_id, history=root / "history", now=example.NOW)
        assert standing(root) != {"user_a.md": data}
        with pytest.raises(RefusedError):
            history.undo(back.run_id, history=root / "history", now=example.NOW)
