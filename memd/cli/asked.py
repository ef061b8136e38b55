"""Who proposes memories for the daemon, for `memd status`: from settings and variables alone, so that it is quick."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memd.agent import model_service, prices
from memd.cli.here import Here
from memd.cli.words import iso, shown
from memd.ledger import Ledger
from memd.ledger.nouns import EXTRACT, RECALL
from memd.ledger.spend import circuit_of
from memd.service import environment
from memd.service.managers import manager


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A backend; `where` is the address that text goes to, None: it stays on this machine."""

    backend: str
    where: str | None
    trouble: str | None = None  # why it is not asked now
    recall_trouble: str | None = None  # why it is not asked which memories bear on something, so that words choose
    is_unasked_for: bool = False  # `claude` is installed, and its subscription is not spent


def asked(surroundings: Here, ledger: Ledger | None) -> Asked:
    """Who is asked, and whether that goes well."""
    settings, environ = surroundings.settings, _variables(surroundings)
    if not model_service.asks_a_model(settings, environ):
        unasked = settings.backend == "auto" and shutil.which("claude") is not None
        return Asked(backend="offline", where=None, is_unasked_for=unasked)
    where = model_service.service(settings, environ, settings.models.extract).where
    trouble = prices.too_small(settings) or model_service.key_trouble(settings, environ) or _trouble(ledger)
    return Asked(backend="anthropic", where=where, trouble=trouble, recall_trouble=_trouble(ledger, RECALL))


def lines(found: Asked, *, shares: bool = False) -> Iterator[tuple[str, str]]:
    """Labelled lines for people; `shares`: memories go to a team's remote, whoever is asked."""
    if found.where is None:
        yield "backend", f"{found.backend}: " + ("nobody is asked" if shares else "nothing leaves this machine")
        if found.is_unasked_for:
            yield "", "`claude` is installed; memd does not spend its subscription"
        return
    yield "backend", f"{found.backend}: conversations go to {shown(found.where)}, within the caps"
    if found.trouble:
        yield "", f"NOT ASKED: {shown(found.trouble)}"
    if found.recall_trouble:
        yield "", f"NOT ASKED which memories to recall, so words choose: {shown(found.recall_trouble)}"


def described(found: Asked) -> dict[str, str | None]:
    """Put it into the shape that programs get."""
    return {
        "name": found.backend,
        "where": found.where,
        "trouble": found.trouble,
        "recall_trouble": found.recall_trouble,
    }


def _variables(surroundings: Here) -> Mapping[str, str]:
    """The service's where there is one, else this shell's."""
    file = surroundings.paths.config_file.with_name(environment.FILE)
    try:
        said = environment.parse(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        return surroundings.environ
    return said | manager(surroundings.environ, surroundings.paths.home).credentials()


def _trouble(ledger: Ledger | None, kind: str = EXTRACT) -> str | None:
    if ledger is None:
        return None
    circuit, now = ledger.circuit(circuit_of(kind)), ledger.now()
    if circuit.reason is None or (circuit.until is not None and circuit.until <= now):
        return None
    return circuit.reason + (f" (until {iso(circuit.until)})" if circuit.until else "")
