"""How an extra of memd is installed, by how memd itself was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memd.distribution import Installed, installed, with_extra

REQUIRES = ("click>=8.1", "mcp<3,>=2.3; extra == 'mcp'", "mypy>=1.13; extra == 'dev'")


def how(prefix: Path, *, installer: str = "pip", origin: object = None) -> Installed:
    """An installation in an environment at `prefix`."""
    said = None if origin is None else json.dumps(origin)
    return Installed(prefix=prefix, python="/v/bin/python", installer=installer, direct_url=said, requires=REQUIRES)


@pytest.mark.parametrize(
    ("mark", "installer", "anew", "beside"),
    [
        ("", "pip", "/v/bin/python -m pip install", "/v/bin/python -m pip install"),
        ("", "uv", "uv pip install --python /v/bin/python", "uv pip install --python /v/bin/python"),
        ("pipx_metadata.json", "pip", "pipx install --force", "pipx inject memd"),
        ("uv-receipt.toml", "uv", "uv tool install --force", "uv pip install --python /v/bin/python"),
    ],
    ids=["pip", "uv", "pipx", "uv-tool"],
)
def test_memd_comes_anew_from_where_it_came(tmp_path: Path, mark: str, installer: str, anew: str, beside: str) -> None:
    if mark:
        (tmp_path / mark).write_text("")
    origin = {"url": tmp_path.as_uri(), "dir_info": {}}
    assert with_extra("mcp", how(tmp_path, installer=installer, origin=origin)) == f"{anew} '{tmp_path}[mcp]'"
    assert with_extra("mcp", how(tmp_path, installer=installer)) == f"{beside} 'mcp<3,>=2.3'"


def test_every_origin(tmp_path: Path) -> None:
    def command(**origin: object) -> str:
        return with_extra("mcp", how(tmp_path, origin=origin)).removeprefix("/v/bin/python -m pip install ")

    (tmp_path / "a b").mkdir()
    (tmp_path / "memd-1.whl").write_bytes(b"")
    tree = (tmp_path / "a b").as_uri()
    assert command(url=tree, dir_info={"editable": True}) == f"-e '{tmp_path}/a b[mcp]'"
    assert command(url=(tmp_path / "memd-1.whl").as_uri(), archive_info={}) == f"'{tmp_path}/memd-1.whl[mcp]'"
    git = {"vcs": "git", "requested_revision": "v1", "commit_id": "abc"}
    assert command(url="https://h/memd.git", vcs_info=git) == "'memd[mcp] @ git+https://h/memd.git@v1'"
    assert command(url="https://h/memd.whl", archive_info={}) == "'memd[mcp] @ https://h/memd.whl'"
    assert command(url=(tmp_path / "gone").as_uri(), dir_info={}) == "'mcp<3,>=2.3'"


@pytest.mark.parametrize("broken", ["{", "[]", '"x"'])
def test_a_broken_note_of_the_origin_is_none(tmp_path: Path, broken: str) -> None:
    found = Installed(prefix=tmp_path, python="/v/bin/python", direct_url=broken, requires=REQUIRES)
    assert with_extra("mcp", found) == "/v/bin/python -m pip install 'mcp<3,>=2.3'"


def test_an_extra_of_which_nothing_is_known_is_no_command(tmp_path: Path) -> None:
    assert with_extra("none", how(tmp_path)) == "install memd with its extra `none`, from where you have memd"


def test_of_this_very_memd_never_by_its_name_alone() -> None:
    said = with_extra("mcp", installed())
    assert "'memd[mcp]'" not in said
    assert said
