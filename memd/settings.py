"""Every setting there is, with its default and the reading of its value. Where values come from: `config`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from memd import cron, team_rules
from memd.team_rules import TeamRule

_ON, _OFF = frozenset({"true", "yes", "on", "1"}), frozenset({"false", "no", "off", "0"})
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Of a model, in dollars for a million tokens."""

    model: str
    input: float
    output: float
    cache_read: float
    cache_write: float  # kept for five minutes

    def __str__(self) -> str:
        """As the settings file has it."""
        amounts = ", ".join(f"{kind} = {getattr(self, kind):g}" for kind in _KINDS)
        return f'"{self.model}" = {{ {amounts} }}'


_KINDS = ("input", "output", "cache_read", "cache_write")
SHIPPED_PRICES = (  # as published by their maker in September 2026
    Price(model="claude-sonnet-5-5", input=2.0, output=10.0, cache_read=0.2, cache_write=2.5),
)


def duration(value: object) -> float:
    """Seconds from `90s`, `2m`, `24h`, `180d` or a bare number of seconds. Raises ValueError."""
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
        return float(value)
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhd]?)", value.strip()) if isinstance(value, str) else None
    if found is None:
        raise ValueError('must be a duration such as "90s", "2m" or "24h"')
    return float(found[1]) * _UNITS[found[2] or "s"]


def _interval(value: object) -> float:
    seconds = duration(value)
    if seconds < 1:
        raise ValueError("must be a second or more")
    return seconds


def spelled(seconds: float) -> str:
    """Write a duration in the largest unit that holds it exactly: the inverse of `duration`."""
    unit = next(name for name in "dhms" if seconds % _UNITS[name] == 0 or name == "s")
    return f"{seconds / _UNITS[unit]:.15g}{unit}"


def _choice(*names: str) -> Callable[[object], str]:
    def parse(value: object) -> str:
        if value not in names:
            raise ValueError("must be one of " + ", ".join(f'"{name}"' for name in names))
        return str(value)

    return parse


def _switch(value: object) -> bool:
    said = str(value).strip().lower()
    if said not in _ON | _OFF:
        raise ValueError("must be true or false")
    return said in _ON


def _count(value: object) -> int:
    text = str(value)
    if isinstance(value, bool) or not text.isdecimal() or int(text) < 1:
        raise ValueError("must be a whole number above 0")
    return int(text)


def _dollars(value: object) -> float:
    try:
        number = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else -1.0
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise ValueError("must be a number of dollars")
    return number


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise ValueError("must be a name")
    return value.strip()


def _address(value: object) -> str | None:
    if value in ("", None):
        return None
    if not isinstance(value, str) or not re.fullmatch(r"https?://[^\s@]+", value):
        raise ValueError("must be an address such as http://127.0.0.1:11434, without a password in it")
    return value.rstrip("/")


def _prices(value: object) -> tuple[Price, ...]:
    """Read a table by model; the shipped prices stand behind, for models it does not name."""
    if not isinstance(value, dict):
        raise ValueError("must be a table of models, each { input = …, output = … } in dollars a million tokens")  # noqa: TRY004 - what every parser raises
    given = tuple(_price(model, kinds) for model, kinds in value.items())
    named = {price.model for price in given}
    return (*given, *(price for price in SHIPPED_PRICES if price.model not in named))


def _price(model: str, kinds: object) -> Price:
    if not isinstance(kinds, dict) or not {"input", "output"} <= kinds.keys() <= set(_KINDS):
        raise ValueError(f"must give input and output, and may give cache_read and cache_write, for {model}")
    amounts = {kind: _dollars(amount) for kind, amount in kinds.items()}
    return Price(model=model, **({"cache_read": amounts["input"], "cache_write": amounts["input"] * 1.25} | amounts))


def _path(value: object) -> str | None:
    if value in ("", None):
        return None
    if not isinstance(value, str) or not value.startswith(("/", "~/")):
        raise ValueError("must be an absolute path")
    return value


def _names(value: object) -> tuple[str, ...]:
    """Read a list of strings; in an environment variable its members stand between commas."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return tuple(value)
    raise ValueError("must be a list of strings")


def _agents(value: object) -> tuple[str, ...]:
    names = _names(value)
    if not names:
        raise ValueError('must name an agent (known: "claude-code"); to watch nothing, stop the daemon')
    if unknown := set(names) - {"claude-code"}:
        raise ValueError(f'names an agent memd cannot read: {", ".join(sorted(unknown))} (known: "claude-code")')
    return names


def _setting(parse: Callable[[object], Any], default: object) -> Any:  # noqa: ANN401 - stands for any field's type
    return field(default=parse(default), metadata={"parse": parse})


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Where memory directories are."""

    base: str | None = _setting(_path, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Projects:
    """Which projects take part."""

    exclude: tuple[str, ...] = _setting(_names, [])
    worktrees: str = _setting(_choice("shared", "separate"), "shared")


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """When and how a conversation is extracted. Durations in seconds."""

    mode: str = _setting(_choice("topics", "log"), "topics")
    quiet: float = _setting(duration, "2m")
    stalled: float = _setting(duration, "10m")
    min_interval: float = _setting(duration, "10m")
    max_turns: int = _setting(_count, 5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dream:
    """When and from how many conversations on the night's work is done."""

    schedule: str = _setting(cron.checked, "0 3 * * *")
    min_sessions: int = _setting(_count, 5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """Which model does what, and who serves it."""

    provider: str = _setting(_choice("anthropic", "bedrock", "vertex", "foundry"), "anthropic")
    base_url: str | None = _setting(_address, None)
    extract: str = _setting(_text, "claude-sonnet-5-5")
    recall: str = _setting(_text, "claude-sonnet-5-5")
    dream: str = _setting(_text, "claude-sonnet-5-5")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """The most that may be spent: dollars, input tokens, passes and requests."""

    pass_dollars: float = _setting(_dollars, 0.25)
    pass_tokens: int = _setting(_count, 200_000)
    dream_dollars: float = _setting(_dollars, 1.0)
    day_dollars: float = _setting(_dollars, 2.0)
    day_passes: int = _setting(_count, 60)
    day_requests: int = _setting(_count, 500)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """What is watched."""

    agents: tuple[str, ...] = _setting(_agents, ["claude-code"])
    roots: tuple[str, ...] = _setting(_names, [])
    sweep: float = _setting(duration, "5m")


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """What the daemon's work waits for; what people ask for by hand never waits."""

    on_battery: str = _setting(_choice("run", "wait"), "run")
    on_metered: str = _setting(_choice("run", "wait"), "run")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """Who looks for the memories that a session is told."""

    hook_model: bool = _setting(_switch, "false")


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """How long a way back is kept, in seconds."""

    keep: float = _setting(duration, "180d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """With whom memories are shared: the git remote that all projects use, and what else holds for some of them."""

    remote: str | None = _setting(team_rules.remote, None)
    branch: str = _setting(team_rules.branch, "memd")
    pull: float = _setting(_interval, "5m")
    projects: tuple[TeamRule, ...] = _setting(team_rules.rules, {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting there is."""

    backend: str = _setting(_choice("auto", "anthropic", "offline"), "auto")
    memory: Memory = field(default_factory=Memory)
    projects: Projects = field(default_factory=Projects)
    extract: Extract = field(default_factory=Extract)
    dream: Dream = field(default_factory=Dream)
    models: Models = field(default_factory=Models)
    caps: Spending = field(default_factory=Spending)
    prices: tuple[Price, ...] = _setting(_prices, {})
    watch: Watch = field(default_factory=Watch)
    team: Team = field(default_factory=Team)
    background: Background = field(default_factory=Background)
    recall: Recall = field(default_factory=Recall)
    history: History = field(default_factory=History)
