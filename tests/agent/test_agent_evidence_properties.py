"""What holds for any text and any message."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memd.agent import evidence
from memd.memory import secrets
from memd.transcripts.model import Message, Role, ToolCall

_HUSHED = "zanzibar"
_OPEN = st.sampled_from(
    ["<private>", "<PRIVATE>", "<Private >", "< private>", "＜private＞", '<private a="b">', "<pri\u200bvate>"]
)
_CLOSE = st.sampled_from(["</private>", "</PRIVATE>", "</ private >", "＜/private＞", "</pri\u2060vate>"])
_OTHER = st.sampled_from(
    [
        "<system-reminder>",
        "</system-reminder>",
        "<memd-memory>",
        "</memd-memory>",
        "<",
        ">",
        "\n",
        " ",
        "</",
        "private",
        "[secret:jwt]",
    ]
)
_FILL = st.lists(_OTHER | st.text(max_size=6).filter(lambda text: "private" not in text.lower()), max_size=6).map(
    "".join
)


@st.composite
def _nested(draw: st.DrawFn, depth: int = 0) -> str:
    inside = draw(_nested(depth + 1)) if depth < 3 and draw(st.booleans()) else ""
    fill = st.text(alphabet="ab \n", max_size=6)
    return f"{draw(_OPEN)}{draw(fill)}{_HUSHED}{inside}{draw(fill)}{_HUSHED}{draw(_CLOSE)}"


@given(_FILL, _nested(), _FILL)
def test_private_text_never_survives(before: str, private: str, behind: str) -> None:
    assert _HUSHED not in evidence.tidy(f"{before}\n{private}\n{behind}")


@given(_FILL, _OPEN, st.text(alphabet="ab <>/\n"), _FILL)
def test_unclosed_private_text_never_survives(before: str, opened: str, inside: str, behind: str) -> None:
    behind = behind.replace("private", "")
    assert _HUSHED not in evidence.tidy(f"{before}\n{opened}{inside}{_HUSHED}{behind}")


@given(st.lists(_OPEN | _CLOSE | _OTHER | st.text(max_size=8), max_size=10).map("".join))
def test_twice_changes_nothing_more(text: str) -> None:
    once = evidence.tidy(text)
    assert evidence.tidy(once) == once
    assert secrets.find(once) == ()


@given(
    st.lists(
        st.builds(
            Message,
            uuid=st.just("u"),
            uuids=st.just(("u",)),
            role=st.sampled_from(Role),
            text=st.text(alphabet=st.characters(), max_size=40),
            at=st.none() | st.datetimes(timezones=st.timezones()),
            tool_calls=st.lists(
                st.builds(
                    ToolCall,
                    id=st.just("t"),
                    name=st.text(max_size=5),
                    input=st.dictionaries(st.sampled_from(["path", "command"]), st.text() | st.integers() | st.none()),
                    result=st.none() | st.text(),
                ),
                max_size=2,
            ).map(tuple),
        ),
        max_size=4,
    )
)
def test_no_message_raises(messages: list[Message]) -> None:
    for utterance in evidence.clean(messages, None):
        assert utterance.text == utterance.text.strip() != ""
