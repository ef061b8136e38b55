"""What a tool takes: one description, for the schema that a model sees and for the check of what it sends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from memd.agent.tools import limits
from memd.errors import MemdError

_DIGITS = 20

Values = Mapping[str, str | int | bool]


class DeniedError(MemdError):
    """The tool does not do that."""


class Kind(Enum):
    """What an argument is, by its name in a JSON schema."""

    TEXT = "string"
    NUMBER = "integer"
    FLAG = "boolean"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One argument. `longest` is in characters for a text; a number lies between `least` and LARGEST_NUMBER."""

    name: str
    what: str
    kind: Kind = Kind.TEXT
    required: bool = False
    choices: tuple[str, ...] = ()
    longest: int = limits.PATH_CHARACTERS
    least: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool as a model sees it."""

    name: str
    what: str
    parameters: tuple[Parameter, ...]

    def definition(self) -> dict[str, object]:
        """The tool in the Messages API's shape."""
        return {
            "description": self.what,
            "input_schema": {
                "properties": {parameter.name: _schema(parameter) for parameter in self.parameters},
                "required": [parameter.name for parameter in self.parameters if parameter.required],
                "type": "object",
            },
            "name": self.name,
        }

    def read(self, arguments: object) -> Values:
        """The arguments that were given, checked. DeniedError; arguments the tool does not know are left aside."""
        if not isinstance(arguments, Mapping):
            raise DeniedError(f"{self.name} takes an object with {self._names()}.")
        values: dict[str, str | int | bool] = {}
        for parameter in self.parameters:
            given = arguments.get(parameter.name)
            if given is not None:
                values[parameter.name] = _value(parameter, given)
            elif parameter.required:
                raise DeniedError(f"{self.name} needs `{parameter.name}`; it takes {self._names()}.")
        return values

    def _names(self) -> str:
        return ", ".join(f"`{parameter.name}`" for parameter in self.parameters)


def text(values: Values, name: str, default: str = "") -> str:
    """A text argument."""
    value = values.get(name, default)
    return value if isinstance(value, str) else default


def number(values: Values, name: str, default: int) -> int:
    """A number argument."""
    value = values.get(name, default)
    return value if isinstance(value, int) else default


def flag(values: Values, name: str) -> bool:
    """A yes-or-no argument; not given is no."""
    return values.get(name) is True


def _schema(parameter: Parameter) -> dict[str, object]:
    shape: dict[str, object] = {"description": parameter.what, "type": parameter.kind.value}
    return shape | ({"enum": list(parameter.choices)} if parameter.choices else {})


def _value(parameter: Parameter, given: object) -> str | int | bool:
    match parameter.kind:
        case Kind.TEXT:
            return _text(parameter, given)
        case Kind.NUMBER:
            return _number(parameter, given)
        case Kind.FLAG:
            return _flag(parameter, given)


def _text(parameter: Parameter, given: object) -> str:
    if not isinstance(given, str):
        raise DeniedError(f"`{parameter.name}` is a text.")
    if len(given) > parameter.longest:
        raise DeniedError(f"`{parameter.name}` is longer than {parameter.longest} characters.")
    if "\0" in given or not _encodable(given):
        raise DeniedError(f"`{parameter.name}` holds characters that no file may hold.")
    if parameter.choices and given not in parameter.choices:
        raise DeniedError(f"`{parameter.name}` is one of {', '.join(parameter.choices)}.")
    return given


def _number(parameter: Parameter, given: object) -> int:
    written = isinstance(given, str) and given.isascii() and given.isdigit() and len(given) < _DIGITS
    whole = int(str(given)) if written else int(given) if isinstance(given, float) and given.is_integer() else given
    if not isinstance(whole, int) or isinstance(whole, bool) or whole < parameter.least:
        raise DeniedError(f"`{parameter.name}` is a whole number from {parameter.least}.")
    return min(whole, limits.LARGEST_NUMBER)


def _flag(parameter: Parameter, given: object) -> bool:
    if isinstance(given, str) and given.lower() in {"true", "false"}:
        return given.lower() == "true"
    if not isinstance(given, bool):
        raise DeniedError(f"`{parameter.name}` is true or false.")
    return given


def _encodable(given: str) -> bool:
    try:
        given.encode()
    except UnicodeEncodeError:
        return False
    return True
