"""Settings: where they come from, and what a wrong one answers."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd import config
from memd.errors import ConfigError

SHIPPED = Path(__file__).parent.parent / "config" / "memd.toml"


def environ(home: Path, **more: str) -> dict[str, str]:
    return {"HOME": str(home), **more}


def write(home: Path, text: str) -> Path:
    path = home / ".config" / "memd" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def test_the_shipped_file_lists_every_setting_with_its_default(home: Path) -> None:
    path = write(home, SHIPPED.read_text())
    loaded = config.load(environ(home))
    assert loaded.settings == config.Settings()
    assert set(loaded.sources.values()) == {str(path)}


def test_flags_win_over_the_environment_and_that_over_the_file(home: Path) -> None:
    path = write(home, '[extract]\nquiet = "1s"\nstalled = "2s"\nmin_interval = "3s"\n')
    loaded = config.load(
        environ(home, MEMD_EXTRACT_STALLED="20s", MEMD_EXTRACT_MIN_INTERVAL="30s"), {"extract.min_interval": "5m"}
    )
    extract = loaded.settings.extract
    assert (extract.quiet, extract.stalled, extract.min_interval) == (1.0, 20.0, 300.0)
    assert [loaded.sources["extract." + key] for key in ("quiet", "stalled", "min_interval", "mode")] == [
        str(path),
        "MEMD_EXTRACT_STALLED",
        "flag",
        "default",
    ]


@pytest.mark.parametrize(("said", "is_on"), [("1", True), ("On", True), ("false", False), ("no", False)])
def test_a_switch_may_be_a_variable(home: Path, said: str, *, is_on: bool) -> None:
    assert config.load(environ(home, MEMD_RECALL_HOOK_MODEL=said)).settings.recall.hook_model is is_on


def test_an_unknown_key_in_the_file_is_refused_with_the_nearest_name(home: Path) -> None:
    path = write(home, "[extract]\nquite = '1s'\n")
    with pytest.raises(ConfigError) as caught:
        config.load(environ(home))
    assert (str(caught.value), caught.value.hint) == (
        f"{path}: unknown setting 'extract.quite'",
        "did you mean 'extract.quiet'?",
    )


def test_an_unknown_variable_is_only_reported(home: Path) -> None:
    loaded = config.load(environ(home, MEMD_EXTRACT_QUITE="1s", MEMD_DISABLE="0"))
    assert loaded.warnings == ("MEMD_EXTRACT_QUITE is not a setting of memd (did you mean MEMD_EXTRACT_QUIET?)",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[extract]\nquiet = 'soon'", "extract.quiet must be a duration such as"),
        ("[extract]\nquiet = true", "extract.quiet must be a duration such as"),
        ("[extract]\nmax_turns = 0", "extract.max_turns must be a whole number above 0"),
        ("[extract]\nmode = 'both'", 'extract.mode must be one of "topics", "log"'),
        ("[recall]\nhook_model = 2", "recall.hook_model must be true or false"),
        ("[memory]\nbase = 'relative'", "memory.base must be an absolute path"),
        ("[projects]\nexclude = [1]", "projects.exclude must be a list of strings"),
        ("[watch]\nagents = ['hal']", "watch.agents names an agent memd cannot read: hal"),
        ("[watch]\nagents = []", "watch.agents must name an agent"),
        ("[caps]\nday_dollars = -1", "caps.day_dollars must be a number of dollars"),
        ("[caps]\nday_dollars = 'nan'", "caps.day_dollars must be a number of dollars"),
        ("[models]\nextract = ''", "models.extract must be a name"),
        ("[models]\nbase_url = 'https://me:secret@host'", "models.base_url must be an address"),
        ("prices = 3", "prices must be a table"),
        ("[prices]\nm = {input = 1}", "prices must give input and output"),
        ("[prices]\nm = {input = 1, output = 2, colour = 3}", "prices must give input and output"),
        ("extract = 3", "unknown setting 'extract'"),
        ("[extract", "Expected ']'"),
        ("a = '\udcff'", "can't decode"),
    ],
)
def test_what_is_wrong_in_the_file_is_named(home: Path, text: str, message: str) -> None:
    path = write(home, "")
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ConfigError) as caught:
        config.load(environ(home))
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_relative_xdg_directories_count_as_unset(home: Path) -> None:
    paths = config.find_paths(environ(home, XDG_STATE_HOME="state", XDG_CONFIG_HOME="/etc/xdg"))
    assert paths.state == home / ".local" / "state" / "memd"
    assert paths.config_file == Path("/etc/xdg/memd/config.toml")


@given(st.integers(0, 10**6), st.sampled_from("smhd"))
def test_durations_are_seconds(number: int, unit: str) -> None:
    assert config.duration(f"{number}{unit}") == number * {"s": 1, "m": 60, "h": 3600, "d": 86400}[unit]


@given(st.integers(0, 10**7))
def test_a_spelled_duration_reads_back(seconds: int) -> None:
    assert config.duration(config.spelled(float(seconds))) == seconds


def test_every_key_of_the_shipped_file_has_a_comment() -> None:
    lines = SHIPPED.read_text().splitlines()
    named = [index for index, line in enumerate(lines) if line and not line.startswith(("#", "["))]
    assert len(named) == len(config.keys())
    assert all(lines[index - 1].startswith("#") for index in named)
    assert tomllib.loads(SHIPPED.read_text())


def test_a_price_of_ones_own_stands_beside_the_shipped_ones(home: Path) -> None:
    write(home, '[prices]\n"my-model" = { input = 1, output = 2 }\n')
    prices = {price.model: price for price in config.load(environ(home)).settings.prices}
    assert set(prices) == {"my-model", "claude-sonnet-5-5"}
    assert (prices["my-model"].cache_read, prices["my-model"].cache_write) == (1, 1.25)
