"""Characters that a person cannot see: taken out, since they can carry orders to a model or hide a word from a rule."""

from __future__ import annotations

import re

_TERMINAL = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)")
# Controls (but for tab and line ends), soft hyphen, joiner marks, fillers, zero-width and bidi characters, invisible
# operators, annotations, tags.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
)
_PICTURES = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_IDEOGRAPHS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_JOINING = "\u0600-\u06ff\u0700-\u07ff\u08a0-\u08ff\u0900-\u0dff\ufb50-\ufdff\ufe70-\ufefc"  # Arabic and Indic scripts
# A variation selector belongs to a picture, a keycap's digit or (the supplement) an ideograph; a row of them is a code.
_SELECTOR = re.compile(
    f"(?<![{_PICTURES}0-9#*])[\ufe0e\ufe0f]|[\ufe00-\ufe0d]|(?<![{_IDEOGRAPHS}])[\U000e0100-\U000e01ef]"
)
_JOINER = re.compile(
    f"(?<![{_PICTURES}\ufe0f{_JOINING}])\u200d|\u200d(?![{_PICTURES}{_JOINING}])"
    f"|(?<![{_JOINING}])\u200c|\u200c(?![{_JOINING}])"
)


def removed(text: str) -> str:
    """`text` without them. Emoji sequences, Arabic and Indic joiners and ideographic variants stay whole."""
    text = _HIDDEN.sub("", _TERMINAL.sub("", text))
    return text if text.isascii() else _JOINER.sub("", _SELECTOR.sub("", text))
