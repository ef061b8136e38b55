"""Whether passes should wait, for mains or a network that costs nothing: only a model elsewhere uses the network."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from memd.agent import model_service
from memd.power import Probe, waits
from memd.settings import Settings

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def probe(settings: Settings, environ: Mapping[str, str]) -> Probe | None:
    """What tells whether passes are to wait by these settings; None: nothing is ever waited for."""
    return waits(settings, network=uses_network(settings, environ))


def uses_network(settings: Settings, environ: Mapping[str, str]) -> bool:
    """Whether passes ask a model that is not on this machine."""
    where = model_service.service(settings, environ, settings.models.extract).where
    return model_service.asks_a_model(settings, environ) and urlsplit(where).hostname not in _LOOPBACK
