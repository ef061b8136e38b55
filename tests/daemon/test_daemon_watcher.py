"""Hints from the file system, by real events in real directories."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from watchdog.observers.api import BaseObserver
from watchdog.observers.polling import PollingObserver

from memd.daemon.events import Changed, Event, Rearm
from memd.daemon.watcher import Handlers, Observe, Watcher, native, unwatched, watching
from tests.daemon.conftest import DaemonProcess, talk, until

PROJECTS = 15  # with the root, sixteen directories: four watches are a quarter

Hear = Callable[[], Awaitable[Event]]


def polling(handlers: Handlers) -> BaseObserver:
    """Watchdog's other observer, for systems that tell nothing by themselves."""
    del handlers
    return PollingObserver(timeout=0.05)


both = pytest.mark.parametrize("observe", [native, polling], ids=["native", "polling"])


def watch(root: Path, story: Callable[[Watcher, Hear], Awaitable[None]], observe: Observe = native) -> None:
    """Tell a story to a watcher; `hear` waits for the next event."""

    async def told() -> None:
        events: asyncio.Queue[Event] = asyncio.Queue()
        with watching((root,), events.put_nowait, observe) as watcher:
            await story(watcher, lambda: asyncio.wait_for(events.get(), 10))

    asyncio.run(told())


async def changed(hear: Hear, path: Path) -> None:
    """Wait until an event names that file."""
    while True:
        event = await hear()
        if isinstance(event, Changed) and str(path) in event.paths:
            return


async def rearm(hear: Hear) -> None:
    while not isinstance(await hear(), Rearm):
        pass


@both
def test_new_grown_moved_and_deleted_files_are_told_of(tmp_path: Path, observe: Observe) -> None:
    async def story(_: Watcher, hear: Hear) -> None:
        path = talk(tmp_path, "a", "human")
        await changed(hear, path)
        talk(tmp_path, "a", "done")
        await changed(hear, path)
        moved = path.rename(path.with_name("b.talk"))
        await changed(hear, moved)
        moved.unlink()
        await changed(hear, moved)

    (tmp_path / "p").mkdir()
    watch(tmp_path, story, observe)


@both
def test_files_that_came_with_their_directory_are_told_of(tmp_path: Path, observe: Observe) -> None:
    async def story(_: Watcher, hear: Hear) -> None:
        talk(tmp_path, "a", "human", project="outside")
        (tmp_path / "outside").rename(tmp_path / "root" / "inside")
        await changed(hear, tmp_path / "root" / "inside" / "a.talk")

    (tmp_path / "root").mkdir()
    watch(tmp_path / "root", story, observe)


@both
def test_many_events_are_one_look_a_window(tmp_path: Path, observe: Observe) -> None:
    async def story(_: Watcher, hear: Hear) -> None:
        began = asyncio.get_running_loop().time()
        for _number in range(500):
            talk(tmp_path, "a", "human")
        last = talk(tmp_path, "last", "human")
        heard = [await hear()]
        while not (isinstance(heard[-1], Changed) and str(last) in heard[-1].paths):
            heard.append(await hear())
        assert len(heard) <= 1 + (asyncio.get_running_loop().time() - began) / 0.1

    (tmp_path / "p").mkdir()
    watch(tmp_path, story, observe)


@both
def test_reading_tells_nothing(tmp_path: Path, observe: Observe) -> None:
    async def story(_: Watcher, hear: Hear) -> None:
        path.read_text("utf-8")
        marker = talk(tmp_path, "marker", "human")
        event = await hear()
        assert isinstance(event, Changed)
        assert event.paths == {str(marker)}

    path = talk(tmp_path, "a", "human")
    watch(tmp_path, story, observe)


@pytest.mark.parametrize("depth", [1, 3])
def test_a_missing_root_is_waited_for_however_deep(tmp_path: Path, depth: int) -> None:
    root = tmp_path.joinpath(*("abc"[:depth]))

    async def story(watcher: Watcher, hear: Hear) -> None:
        assert not watcher.stale()
        for directory in [*reversed(root.parents), root]:
            if not directory.exists():
                directory.mkdir()
                await rearm(hear)
                watcher.arm()
        await changed(hear, talk(root, "a", "human"))

    watch(root, story)


@both
def test_a_root_moved_into_place_is_seen(tmp_path: Path, observe: Observe) -> None:
    async def story(watcher: Watcher, hear: Hear) -> None:
        talk(tmp_path / "elsewhere", "a", "human")
        (tmp_path / "elsewhere").rename(tmp_path / "root")
        await rearm(hear)
        assert watcher.stale()
        watcher.arm()
        assert not watcher.stale()

    watch(tmp_path / "root", story, observe)


@both
def test_a_root_that_vanishes_or_is_replaced_is_stale(tmp_path: Path, observe: Observe) -> None:
    root = tmp_path / "root"

    async def story(watcher: Watcher, hear: Hear) -> None:
        root.rename(tmp_path / "away")
        assert watcher.stale()
        root.mkdir()
        assert watcher.stale()  # another directory of the same name
        watcher.arm()
        assert not watcher.stale()
        shutil.rmtree(root)
        await rearm(hear)
        assert watcher.stale()

    root.mkdir()
    watch(root, story, observe)


@both
def test_a_dead_observer_is_stale(tmp_path: Path, observe: Observe) -> None:
    async def story(watcher: Watcher, _: Hear) -> None:
        watcher.close()
        assert watcher.stale()
        watcher.arm()
        assert not watcher.stale()
        assert watcher.trouble is None

    watch(tmp_path, story, observe)


def test_directories_without_a_watch_are_counted(tmp_path: Path) -> None:
    async def story(_: Watcher, __: Hear) -> None:
        await asyncio.sleep(0)
        assert unwatched([str(tmp_path), str(tmp_path / "p"), "/nowhere"]) == 0
        assert unwatched([str(tmp_path.parent), str(tmp_path)]) == 1

    (tmp_path / "p").mkdir()
    watch(tmp_path, story)


def test_a_system_that_refuses_to_watch_is_trouble_but_no_error(tmp_path: Path) -> None:
    refuse = (
        "import asyncio, os, sys; from pathlib import Path; from memd.daemon.watcher import watching\n"
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n"
        "async def main():\n"
        "    fds = []\n"
        "    try:\n"
        "        while True: fds.append(os.open('/dev/null', os.O_RDONLY))\n"
        "    except OSError: pass\n"
        "    with watching((Path(sys.argv[1]),), print) as watcher: print(watcher.trouble)\n"
        "asyncio.run(main())"
    )
    done = subprocess.run([sys.executable, "-c", refuse, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("no file events: ")


CLOSED = """
import asyncio, ctypes, encodings.ascii, os, sys
from pathlib import Path
from memd.daemon.events import Changed
from memd.daemon.watcher import watching
from tests.fakes.transcripts import LineTranscripts
root = Path(sys.argv[1])
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(4, 1)  # PR_SET_DUMPABLE: what /proc/self tells is its own again

async def heard_of(path):
    path.write_text("human\\n")
    while str(path) not in (await asyncio.wait_for(events.get(), 20)).paths:
        pass

async def main():
    with watching((root,), events.put_nowait) as watcher:
        print(watcher.trouble, watcher.stale())
        await heard_of(root / "open" / "a.talk")
        print(sorted(Path(path).parent.name for path, _, _ in LineTranscripts(root).survey()))
        (root / "shut").chmod(0o700)
        print(sorted(Path(path).parent.name for path, _, _ in LineTranscripts(root).survey()))
        print(watcher.unwatched([str(root / "open"), str(root / "shut")]))
        watcher.arm()
        await heard_of(root / "shut" / "b.talk")
        print(watcher.trouble)

events = asyncio.Queue()
asyncio.run(main())
"""


def test_a_directory_that_may_not_be_read_takes_nothing_from_the_others() -> None:
    with tempfile.TemporaryDirectory() as directory:  # the test's own may not be reached by everybody
        root = Path(directory)
        for project in ("open", "shut"):
            talk(root, "old", "human", project=project)
        for path in [root, *root.rglob("*")]:
            os.chown(path, *((65534, 65534) if os.geteuid() == 0 else (-1, -1)))
        (root / "shut").chmod(0)
        done = subprocess.run([sys.executable, "-c", CLOSED, directory], capture_output=True, text=True, check=False)
        (root / "shut").chmod(0o700)
    unwatched_now = str(int(sys.platform == "linux"))
    told = ["None False", "['open', 'open']", "['open', 'open', 'shut']", unwatched_now, "None"]
    assert done.stdout.splitlines() == told, done.stderr


def _limited(what: str, count: int) -> tuple[str, ...]:
    """A prefix for a command that may hold only so many of something, where the system lets us say so."""
    say = f'echo {count} > /proc/sys/user/{what} && exec "$@"'
    prefix = ("unshare", "-Ur", "sh", "-c", say, "sh")
    tried = shutil.which("unshare") and subprocess.run([*prefix, "true"], check=False, capture_output=True)
    if not tried or tried.returncode:
        pytest.skip("needs Linux user namespaces")
    return prefix


@pytest.mark.parametrize(
    ("what", "count", "said"),
    [
        ("max_inotify_watches", 4, "12 directories are past the limit of inotify watches"),
        ("max_inotify_instances", 0, "no file events: "),
    ],
)
def test_too_few_watches_turn_into_polling_and_are_said(
    home: Path, root: Path, what: str, count: int, said: str
) -> None:
    for number in range(PROJECTS):
        talk(root, f"s{number}", "human", project=f"p{number}")
    daemon = DaemonProcess(home, (root,), "drain", prefix=_limited(what, count), MEMD_WATCH_SWEEP="0.5s")
    try:
        daemon.ready()
        until(lambda: daemon.meta().get("trouble"))
        assert said in daemon.meta()["trouble"]
        for number in range(PROJECTS):
            talk(root, f"s{number}", "done", project=f"p{number}")
        until(lambda: len(daemon.noted("claimed")) == PROJECTS)
    finally:
        daemon.process.kill()
        daemon.process.wait()


def test_the_watched_tree_is_never_written_to(tmp_path: Path) -> None:
    async def story(_: Watcher, __: Hear) -> None:
        await asyncio.sleep(0)

    talk(tmp_path, "a", "human")
    before = sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*"))
    watch(tmp_path, story)
    assert sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*")) == before
    assert os.listdir(tmp_path) == ["p"]  # noqa: PTH208  # names
