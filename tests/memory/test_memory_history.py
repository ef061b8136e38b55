"""What the runs did, and that undoing one brings every byte back."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.errors import MemdError, RefusedError
from memd.memory import history, retention, store, whose
from memd.memory.journal import What
from memd.memory.merge import merged
from memd.memory.quotes import EvidenceClass, Quote
from memd.memory.workspace import Change
from tests.fakes import transaction as example

LATER = example.NOW + timedelta(hours=1)
PATHS = ("user_a.md", "user_b.md", "sub/user_c.md")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    example.lay_out(tmp_path)
    return tmp_path


def topics(memory: Path) -> dict[str, bytes]:
    """Everything but the logs, which are only ever appended to."""
    found = {str(path.relative_to(memory)): path for path in memory.rglob("*.md")}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith("logs/")}


def undo(place: Path, run_id: int) -> store.Applied:
    return history.undo(run_id, history=place / "history", now=LATER)


def write(place: Path, path: str, text: str) -> store.Applied:
    """A later run that writes one topic."""
    file = place / "memory" / path
    change = Change(path=path, before=file.read_bytes() if file.exists() else None, after=text.encode())
    return store.apply(place / "memory", (change,), run=example.NOTE, history=place / "history")


BYTES = st.one_of(
    st.binary(max_size=60),
    st.builds(example.topic_file, st.text(max_size=20), st.text(max_size=60), st.text(max_size=60)),
)


@settings(max_examples=60, deadline=None)
@given(
    before=st.dictionaries(st.sampled_from(PATHS), BYTES),
    after=st.dictionaries(st.sampled_from(PATHS), st.none() | BYTES),
    index=st.none() | st.binary(max_size=80) | st.just("# Hand\n- [A](user_a.md) — mine\n\n- [Dead](x.md)\n".encode()),
)
def test_apply_then_undo_is_identity_and_so_is_undoing_that(
    before: dict[str, bytes], after: dict[str, bytes | None], index: bytes | None
) -> None:
    with example.quick_directory() as directory:
        memory, runs = directory / "memory", directory / "history"
        for path, data in {**before, **({"MEMORY.md": index} if index is not None else {})}.items():
            (memory / path).parent.mkdir(parents=True, exist_ok=True)
            (memory / path).write_bytes(data)
        changes = [Change(path=path, before=before.get(path), after=data) for path, data in after.items()]
        old = topics(memory)
        applied = store.apply(memory, changes, run=example.NOTE, history=runs)
        new = topics(memory)
        if not applied.files:
            assert new == old
            return
        undone = history.undo(applied.run_id, history=runs, now=LATER)
        assert topics(memory) == old
        history.undo(undone.run_id, history=runs, now=LATER)
        assert topics(memory) == new


def test_undo_brings_back_what_was_deleted(place: Path) -> None:
    old = topics(place / "memory")
    run = example.apply(place)
    assert "user_gone.md" not in topics(place / "memory")
    undo(place, run.run_id)
    assert topics(place / "memory") == old
    assert (place / "memory" / example.LOG).read_bytes().endswith(example.LINES)


def test_an_undo_is_a_run_of_its_own(place: Path) -> None:
    example.apply(place)
    undo(place, 1)
    newest = next(history.runs(place / "history"))
    assert (newest.id, newest.run.kind, newest.run.undoes, newest.run.started) == (2, "undo", 1, LATER)
    assert {file.path: file.what for file in newest.files} == {
        "sub/user_new.md": What.DELETED,
        "user_gone.md": What.CREATED,
        "user_kept.md": What.UPDATED,
        "MEMORY.md": What.UPDATED,
    }


def test_undone_twice_is_refused(place: Path) -> None:
    example.apply(place)
    undo(place, 1)
    with pytest.raises(RefusedError, match="undone already"):
        undo(place, 1)


def test_a_run_without_files_cannot_be_undone(place: Path) -> None:
    store.apply(place / "memory", (), bullets=example.BULLETS, run=example.NOTE, history=place / "history")
    with pytest.raises(RefusedError, match="changed no files"):
        undo(place, 1)


def test_a_later_edit_elsewhere_in_the_file_survives_an_undo(place: Path) -> None:
    text = "---\nname: x\ndescription: d\ntype: user\n---\nfirst\n\nsecond\n\nthird\n"
    write(place, "user_x.md", text)
    write(place, "user_x.md", text.replace("first", "FIRST"))
    (place / "memory" / "user_x.md").write_text(text.replace("first", "FIRST").replace("third", "third, by hand"))
    undo(place, 2)
    assert (place / "memory" / "user_x.md").read_text() == text.replace("third", "third, by hand")


def test_a_persons_edit_of_the_same_line_refuses_an_undo(place: Path) -> None:
    example.apply(place)
    before = topics(place / "memory")
    (place / "memory" / "user_kept.md").write_bytes(b"by hand")
    with pytest.raises(RefusedError, match=r"a person edited user_kept\.md"):
        undo(place, 1)
    assert topics(place / "memory") == {**before, "user_kept.md": b"by hand"}


def test_a_later_run_is_named_when_it_refuses_an_undo(place: Path) -> None:
    example.apply(place)
    write(place, "sub/user_new.md", "other")
    with pytest.raises(RefusedError, match=r"run 2 changed sub/user_new\.md"):
        undo(place, 1)


def test_index_lines_written_since_stay(place: Path) -> None:
    example.apply(place)
    with (place / "memory" / "MEMORY.md").open("ab") as file:
        file.write(b"\nBy hand.\n")
    undo(place, 1)
    index = (place / "memory" / "MEMORY.md").read_text()
    assert "By hand." in index
    assert "(sub/user_new.md)" not in index
    assert "(user_gone.md)" in index


def test_an_undo_puts_back_into_a_directory_that_is_gone(place: Path) -> None:
    example.apply(place)
    (place / "memory").rename(place / "moved")
    with pytest.raises(RefusedError):
        undo(place, 1)


def test_damaged_images_refuse(place: Path) -> None:
    example.apply(place)
    (place / "history" / "1" / "before" / "user_gone.md").write_bytes(b"other")
    with pytest.raises(MemdError, match="damaged"):
        undo(place, 1)


def test_ids_grow_from_the_highest_there_is(place: Path) -> None:
    assert history.next_id(place / "history") == 1
    (place / "history" / "17").mkdir(parents=True)
    (place / "history" / "notes").mkdir()
    assert history.next_id(place / "history") == 18
    assert example.apply(place).run_id == 18


def test_a_number_in_use_is_not_used_again(place: Path) -> None:
    note = replace(example.NOTE, id=5)
    ids = [store.apply(place / "memory", (), run=note, history=place / "history").run_id for _ in range(3)]
    assert ids == [5, 6, 7]


def test_runs_newest_first_past_damaged_ones(place: Path) -> None:
    for name in ("user_a.md", "user_b.md", "user_c.md"):
        write(place, name, name)
    (place / "history" / "2" / "record.json").write_text("{")
    assert [record.id for record in history.runs(place / "history")] == [3, 1]
    with pytest.raises(MemdError, match="no finished run 2"):
        history.load(2, history=place / "history")
    assert list(history.runs(place / "nowhere")) == []


def test_diff_shows_every_file(place: Path) -> None:
    write(place, "user_x.md", "one\ntwo")
    write(place, "user_x.md", "one\nthree\n")
    text = history.diff(2, history=place / "history")
    assert text.startswith(
        "--- a/user_x.md\n+++ b/user_x.md\n@@ -1,2 +1,2 @@\n one\n-two\n\\ No newline at end of file\n+three\n"
    )
    assert history.diff(1, history=place / "history").startswith("--- /dev/null\n+++ b/user_x.md\n")


def test_why_tells_the_words_by_run(place: Path) -> None:
    quote = Quote(text="call me Ada", evidence=EvidenceClass.HUMAN, uuid="u1", at=example.NOW)
    memory, runs = place / "memory", place / "history"
    change = Change(path="user_ada.md", before=None, after=b"x")
    store.apply(memory, (change,), run=replace(example.NOTE, quotes={"user_ada.md": (quote,)}), history=runs)
    write(place, "user_other.md", "y")
    assert history.why("user_ada.md", memory_dir=memory, history=runs) == (
        history.Why(run_id=1, kind="extract", at=example.NOW, session="s1", quotes=(quote,)),
    )
    assert history.why("user_other.md", memory_dir=memory, history=runs) == ()
    assert history.why("user_ada.md", memory_dir=place, history=runs) == ()


def test_foreign_are_the_files_memd_did_not_write_last(place: Path) -> None:
    memory, runs = place / "memory", place / "history"
    write(place, "user_a.md", "mine")
    write(place, "user_b.md", "mine")
    (memory / "user_b.md").write_text("edited")
    assert whose.foreign(memory, history=runs) == {"user_b.md", "user_kept.md", "user_gone.md"}
    assert whose.foreign(place / "nowhere", history=runs) == frozenset()


def test_a_persons_file_that_memd_added_to_stays_theirs(place: Path) -> None:
    memory, runs = place / "memory", place / "history"
    (memory / "user_b.md").write_text("mine\n")
    write(place, "user_a.md", "one")
    write(place, "user_a.md", "two")
    write(place, "user_b.md", "mine\nand memd's")
    assert "user_b.md" in whose.foreign(memory, history=runs)
    assert "user_a.md" not in whose.foreign(memory, history=runs)
    (memory / "user_a.md").write_text("two and by hand")
    write(place, "user_a.md", "two and by hand, three")
    assert "user_a.md" in whose.foreign(memory, history=runs)


def test_a_deletion_taken_back_changes_no_owner(place: Path) -> None:
    memory, runs = place / "memory", place / "history"
    write(place, "user_a.md", "one")
    for number in (1, 2, 3, 4):
        history.undo(number, history=runs, now=example.NOW)
    assert (memory / "user_a.md").exists()
    assert "user_a.md" not in whose.foreign(memory, history=runs)


def test_prune_keeps_the_newest_and_the_unfinished(place: Path) -> None:
    for name in ("user_a.md", "user_b.md", "user_c.md"):
        write(place, name, name)
    (place / "history" / "2" / "entry.json").write_bytes((place / "history" / "2" / "record.json").read_bytes())
    assert retention.prune(place / "history", today=example.NOW, keep=timedelta(0)) == ()
    (place / "memory" / "user_a.md").unlink()
    assert retention.prune(place / "history", today=LATER, keep=timedelta(0)) == (1,)
    assert sorted(path.name for path in (place / "history").iterdir()) == ["2", "3"]


def test_an_old_topic_of_memds_does_not_become_a_persons(place: Path) -> None:
    memory, runs = place / "memory", place / "history"
    said = Quote(text="a", evidence=EvidenceClass.HUMAN, uuid="u1", at=example.NOW)
    change = Change(path="user_a.md", before=None, after=b"one")
    note = replace(example.NOTE, quotes={"user_a.md": (said,)})
    store.apply(memory, (change,), run=note, history=runs)
    write(place, "user_a.md", "one, two")
    write(place, "user_z.md", "newest")
    before = whose.foreign(memory, history=runs)
    assert "user_a.md" not in before
    assert retention.prune(runs, today=LATER, keep=timedelta(0)) == ()
    assert whose.foreign(memory, history=runs) == before
    assert [path.name for path in (runs / "1").iterdir()] == ["record.json"]
    assert history.load(1, history=runs).run.quotes == {}
    (memory / "user_a.md").write_text("one, two, and by hand")
    assert "user_a.md" in whose.foreign(memory, history=runs)


def test_nothing_is_left_of_a_run_that_another_one_took_over(place: Path) -> None:
    write(place, "user_a.md", "one")
    change = Change(path="user_a.md", before=b"one", after=None)
    store.apply(place / "memory", (change,), run=example.NOTE, history=place / "history")
    with pytest.raises(RefusedError, match=r"Nothing is left of what run 1 did: run 2 changed it since\."):
        undo(place, 1)
    undo(place, 2)
    undo(place, 1)
    with pytest.raises(RefusedError, match=r"Run 1 is undone already, by run 4\."):
        undo(place, 1)


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n", b"d"]), max_size=6).map(b"".join)


@given(base=LINES, ours=LINES, theirs=LINES)
def test_a_merge_takes_both_sides_or_neither(base: bytes, ours: bytes, theirs: bytes) -> None:
    both = merged(base, ours, theirs)
    assert both == merged(base, theirs, ours)
    assert merged(base, ours, base) == ours
    assert merged(base, base, theirs) == theirs
    assert merged(base, ours, ours) == ours
    if both is not None:
        added = set(ours.splitlines()) | set(theirs.splitlines())
        assert set(both.splitlines()) <= added | set(base.splitlines())


def test_touching_edits_do_not_merge() -> None:
    base = b"one\ntwo\nthree\nfour\n"
    assert merged(base, base.replace(b"one", b"1"), base.replace(b"four", b"4")) == b"1\ntwo\nthree\n4\n"
    assert merged(base, base.replace(b"one", b"1"), base.replace(b"two", b"2")) is None
    assert merged(base, base + b"five\n", base + b"6\n") is None
    assert merged(base, base.replace(b"two\n", b""), base.replace(b"four\n", b"")) == b"one\nthree\n"
