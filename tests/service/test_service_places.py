"""Where the service may write."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from memd import config
from memd.service import places


def service_for(home: Path, *roots: str, **environ: str) -> tuple[Path, ...]:
    given = {"HOME": str(home), **environ}
    return places.service(config.load(given), given, roots).writable


def test_the_usual_place_and_its_own_state(home: Path) -> None:
    (home / ".claude").mkdir()
    assert service_for(home, "/srv/shop") == (home / ".local/state/memd", home / ".claude/projects")


def test_an_agents_own_directory_and_a_configured_one(home: Path) -> None:
    claude = home / "elsewhere"
    claude.mkdir()
    (claude / "settings.json").write_text(json.dumps({"autoMemoryDirectory": "/srv/memory"}), "utf-8")
    assert service_for(home, CLAUDE_CONFIG_DIR=str(claude)) == (home / ".local/state/memd", Path("/srv/memory"))


def test_a_project_with_a_directory_of_its_own(home: Path, tmp_path: Path) -> None:
    (home / ".claude").mkdir()
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)  # noqa: S607 - whichever git there is
    (tmp_path / ".claude").mkdir()
    own = tmp_path / "notes"
    (tmp_path / ".claude" / "settings.local.json").write_text(json.dumps({"autoMemoryDirectory": str(own)}), "utf-8")
    assert own in service_for(home, str(tmp_path), "/gone")


def test_keys_stay_out_of_sight_but_those_that_the_provider_needs(home: Path) -> None:
    given = {"HOME": str(home), "MEMD_MODELS_PROVIDER": "bedrock"}
    hidden = places.service(config.load(given), given, ()).hidden
    assert home / ".ssh" in hidden
    assert home / ".aws" not in hidden
    assert home / ".aws" in places.service(config.load({"HOME": str(home)}), {}, ()).hidden
