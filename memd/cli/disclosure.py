"""What leaves the machine, to whom, and capped at what, in a few lines."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping

from memd.agent import backends
from memd.cli.words import shown
from memd.settings import Settings

_SUBSCRIPTION = (
    "                   (`claude` is installed; memd does not spend its subscription)"  # in the background, unasked
)


def lines(settings: Settings, environ: Mapping[str, str]) -> Iterator[str]:
    """Labelled lines for people."""
    chosen = backends.choose(settings, environ, settings.models.extract)
    yield f"Backend            {chosen.backend.name}"
    yield f"Leaves the machine {leaves(settings, environ)}"
    if chosen.where is None and shutil.which("claude"):
        yield _SUBSCRIPTION


def leaves(settings: Settings, environ: Mapping[str, str]) -> str:
    """One sentence."""
    chosen = backends.choose(settings, environ, settings.models.extract)
    if chosen.where is None:
        return "nothing"
    caps = settings.caps
    at_once = ", each prompt as it is sent" if settings.recall.hook_model else ""
    return (
        f"what was said in conversations{at_once}, without secrets, to {shown(chosen.where)} "
        f"({shown(settings.models.extract)}); "
        f"at most ${caps.pass_dollars:.2f} and {caps.pass_tokens:,} tokens a pass, "
        f"${caps.day_dollars:.2f}, {caps.day_passes} passes and {caps.day_requests} requests a day"
    )
