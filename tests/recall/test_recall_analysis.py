"""Text made into terms."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.recall import analysis


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fooBar foo_bar foo-bar", ["foo", "bar"] * 3),
        ("HTTPServer v2.10", ["http", "server", "v", "2", "10"]),
        ("数据库", ["数", "据", "库", "数据", "据库"]),
        ("用 zod 校验", ["用", "zod", "校", "验", "校验"]),
        ("the of 的", []),
        ("Straße ÉCOLE ﬁne", ["strasse", "école", "fine"]),
        ("a" * 65, []),
        ("!!! --- ", []),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert list(analysis.terms(text)) == expected


@given(st.text())
def test_the_form_of_unicode_does_not_matter(text: str) -> None:
    assert list(analysis.terms(text)) == list(analysis.terms(unicodedata.normalize("NFKC", text)))


@given(st.text())
def test_a_term_holds_nothing_that_an_index_would_take_for_syntax(text: str) -> None:
    assert not any(set(term) & set("\"'()*^:+-{} \n") for term in analysis.terms(text))
