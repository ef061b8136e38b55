"""The ledger's file: private, versioned, and never a reason not to start."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memd.errors import LedgerError
from memd.ledger import Session, open_ledger, read_ledger
from memd.ledger.opening import JournalMode
from memd.ledger.schema import MIGRATIONS, migrate
from tests.fakes.clock import FakeClock


def ledger_path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "ledger.sqlite3"


def note(path: Path, name: str = "a") -> None:
    with open_ledger(path, FakeClock()) as ledger:
        ledger.note_session(Session(key=name, agent="x", session_id=name, path="/t"))


def test_file_and_companions_are_private(tmp_path: Path) -> None:
    path = ledger_path(tmp_path)
    with open_ledger(path, FakeClock()) as ledger:
        ledger.set_meta("a", "b")
        modes = {one.name: one.stat().st_mode & 0o777 for one in path.parent.iterdir()}
    assert modes == {"ledger.sqlite3": 0o600, "ledger.sqlite3-wal": 0o600, "ledger.sqlite3-shm": 0o600}
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_directory_open_to_others_is_closed(tmp_path: Path) -> None:
    ledger_path(tmp_path).parent.mkdir(mode=0o755)
    note(ledger_path(tmp_path))
    assert ledger_path(tmp_path).parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_the_journal_mode_is_the_one_asked_for_and_can_be_changed(tmp_path: Path, mode: JournalMode) -> None:
    path = ledger_path(tmp_path)
    note(path)
    with open_ledger(path, FakeClock(), journal_mode=mode) as ledger, closing(sqlite3.connect(path)) as other:
        assert other.execute("PRAGMA journal_mode").fetchone()[0].upper() == mode
        assert ledger.session("a") is not None


@pytest.mark.parametrize("rubbish", [b"this is no database at all, it is some text" * 100, b"\0" * 8192])
def test_an_unreadable_file_is_set_aside_and_a_stale_log_does_no_harm(tmp_path: Path, rubbish: bytes) -> None:
    path = ledger_path(tmp_path)
    path.parent.mkdir()
    path.write_bytes(rubbish)
    path.with_name("ledger.sqlite3-wal").write_bytes(b"wal")
    with open_ledger(path, FakeClock()) as ledger:
        assert ledger.set_aside == path.with_name("ledger.sqlite3.corrupt-20260401T120000")
        assert ledger.counts().sessions == 0
        assert ledger.set_aside.read_bytes() == rubbish
    note(path)
    with open_ledger(path, FakeClock()) as ledger:
        assert ledger.set_aside is None


def test_damage_inside_is_found_by_the_check(tmp_path: Path) -> None:
    path = ledger_path(tmp_path)
    with open_ledger(path, FakeClock()) as ledger:
        ledger.note_sessions(Session(key=f"k{n}", agent="x", session_id="s", path="/t" * 50) for n in range(500))
    data = bytearray(path.read_bytes())
    for page in range(20, len(data) // 4096):
        data[page * 4096 : page * 4096 + 64] = b"\xff" * 64
    path.write_bytes(data)
    with open_ledger(path, FakeClock(), daemon=True) as ledger:
        assert ledger.set_aside is not None
        assert list(ledger.sessions()) == []


def test_damage_met_on_the_way_is_our_own_error(tmp_path: Path) -> None:
    path = ledger_path(tmp_path)
    note(path)
    with pytest.raises(LedgerError, match="cannot be used"), open_ledger(path, FakeClock()):
        raise sqlite3.OperationalError("disk I/O error")


def test_a_newer_memd_s_ledger_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = ledger_path(tmp_path)
    note(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(LedgerError, match="newer memd") as raised, open_ledger(path, FakeClock()):
        pass
    assert raised.value.hint is not None
    assert [one.name for one in path.parent.iterdir() if "corrupt" in one.name] == []


def test_a_migration_keeps_the_rows_and_a_copy_of_the_old_file(tmp_path: Path) -> None:
    path = ledger_path(tmp_path)
    note(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        migrate(db, path, (*MIGRATIONS, "ALTER TABLE sessions ADD COLUMN colour TEXT; CREATE TABLE more(x)"))
        assert db.execute("SELECT key, colour FROM sessions").fetchall() == [("a", None)]
        assert db.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS) + 1
    copy = path.with_name(f"ledger.sqlite3.backup-v{len(MIGRATIONS)}")
    assert copy.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(copy)) as db:
        assert db.execute("SELECT key FROM sessions").fetchall() == [("a",)]
        assert db.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS)


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = ledger_path(tmp_path)
    note(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        with pytest.raises(sqlite3.OperationalError):
            migrate(db, path, (*MIGRATIONS, "CREATE TABLE more(x); this is no SQL"))
        assert db.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS)
    note(path, "b")


def test_a_link_in_the_ledger_s_place_is_not_followed(tmp_path: Path) -> None:
    path = ledger_path(tmp_path)
    path.parent.mkdir()
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(LedgerError), open_ledger(path, FakeClock()):
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_a_reader_sees_what_a_writer_wrote_and_can_write_nothing(tmp_path: Path) -> None:
    path = ledger_path(tmp_path)
    with open_ledger(path, FakeClock()) as ledger, read_ledger(path, FakeClock()) as reader:
        assert reader.session("a") is None
        ledger.note_session(Session(key="a", agent="x", session_id="a", path="/t"))
        assert reader.session("a") == ledger.session("a")
    with pytest.raises(LedgerError, match="readonly"), read_ledger(path, FakeClock()) as reader:
        reader.set_meta("a", "b")


def test_a_reader_sees_what_a_killed_writer_left_in_its_log(tmp_path: Path) -> None:
    path, copy = ledger_path(tmp_path), tmp_path / "copy" / "ledger.sqlite3"
    copy.parent.mkdir()
    with open_ledger(path, FakeClock()) as ledger:
        ledger.set_meta("a", "b")
        for ending in ("", "-wal"):
            shutil.copy(f"{path}{ending}", f"{copy}{ending}")
    with read_ledger(copy, FakeClock()) as reader:
        assert reader.meta("a") == "b"


@pytest.mark.parametrize("content", [b"this is no database at all" * 100, b"\0" * 8192, b""])
def test_a_reader_leaves_a_broken_ledger_where_it_is(tmp_path: Path, content: bytes) -> None:
    path = ledger_path(tmp_path)
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(LedgerError) as raised, read_ledger(path, FakeClock()):
        pass
    assert raised.value.hint
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    assert path.read_bytes() == content


def test_a_reader_makes_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="no ledger"), read_ledger(ledger_path(tmp_path), FakeClock()):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_ledger_that_a_full_disk_left_empty_is_no_older_memd_s(tmp_path: Path) -> None:
    path = ledger_path(tmp_path)
    path.parent.mkdir()
    path.touch(0o600)
    with pytest.raises(LedgerError, match="begun and never finished") as found, read_ledger(path, FakeClock()):
        pass
    assert "disk full" in (found.value.hint or "")
    note(path)
    with read_ledger(path, FakeClock()) as ledger:
        assert ledger.counts().sessions == 1


def test_a_migration_on_a_full_disk_says_that_the_disk_is_full(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "ledger.sqlite3", isolation_level=None)) as db:
        db.execute("PRAGMA max_page_count = 2")
        with pytest.raises(sqlite3.OperationalError, match="full"):
            migrate(db, tmp_path / "ledger.sqlite3")


def test_a_reader_refuses_another_version_s_ledger_and_leaves_it_alone(tmp_path: Path) -> None:
    path = ledger_path(tmp_path)
    note(path)
    for version, word in ((99, "newer"), (len(MIGRATIONS) - 1, "older")):
        with closing(sqlite3.connect(path)) as db:
            db.execute(f"PRAGMA user_version = {version}")
        with pytest.raises(LedgerError, match=f"{word} memd"), read_ledger(path, FakeClock()):
            pass
