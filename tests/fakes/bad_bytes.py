"""Bad transcripts whose bytes are damaged: cut, spliced, padded, oversized, in another coding, or no lines at all."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

from tests.fakes.bad_transcripts import HUGE, PROMPT, Bad, row

WORD = b"do fail"  # in the middle of what the person said
ESCAPE = "\\"


def cases() -> Iterator[Bad]:
    """All of them."""
    for family in (
        _cut,
        _spliced,
        _padded,
        _oversized,
        _broken_lines,
        _coded,
        _escaped,
        _values,
        _no_lines,
        _strangers,
    ):
        yield from family()


def _cut() -> Iterator[Bad]:
    """A writer that was killed, and one that went on after it."""
    for what in ("prompt", "call", "result", "answer", "attachment"):
        whole = row(what)
        for percent in (1, 25, 50, 75, 99):
            yield Bad(name=f"{what} cut at {percent} %", data=whole[: len(whole) * percent // 100] + b"\n", bad=1)
    whole = row("prompt")
    yield Bad(name="prompt without its last brace", data=whole[:-2] + b"\n", bad=1)
    yield Bad(name="prompt without its first brace", data=whole[1:], bad=1)
    yield Bad(name="the second half of a line", data=whole[len(whole) // 2 :], bad=1)


def _spliced() -> Iterator[Bad]:
    """Records without a line break between them."""
    one, two, three = (row("prompt", number) for number in range(3))
    yield Bad(name="two records on a line", data=one[:-1] + two, bad=1, says=(PROMPT,) * 2)
    yield Bad(name="three records on a line", data=one[:-1] + two[:-1] + three, bad=1, says=(PROMPT,) * 3)
    yield Bad(name="two records with a blank between", data=one[:-1] + b"  " + two, bad=1, says=(PROMPT,) * 2)
    yield Bad(name="two records with a comma between", data=one[:-1] + b"," + two, bad=1, says=(PROMPT,) * 2)
    yield Bad(name="a cut record before a whole one", data=one[:-40] + two, bad=1, says=(PROMPT,))
    yield Bad(name="a whole record before a cut one", data=one[:-1] + two[:60] + b"\n", bad=1, says=(PROMPT,))
    yield Bad(name="a record inside another", data=one[:70] + two[:-1] + one[70:], bad=1, says=(PROMPT,))
    yield Bad(name="an answer behind a prompt", data=row("prompt", 1)[:-1] + row("answer", 1), bad=1, says=(PROMPT,))
    yield Bad(name="a call cut by its result", data=row("call")[:-200] + row("result"), bad=1)
    yield Bad(name="forty records on a line", data=b"".join(row("prompt", n)[:-1] for n in range(40)) + b"\n", bad=1,
              says=(PROMPT,) * 40)  # fmt: skip


def _padded() -> Iterator[Bad]:
    """Blocks that the disk gave back empty after a power cut."""
    whole = row("prompt")
    for size in (1, 511, 4096, 70_000):
        yield Bad(name=f"{size} NULs before a record", data=b"\0" * size + whole, bad=1, says=(PROMPT,))
        yield Bad(name=f"{size} NULs after a record", data=whole[:-1] + b"\0" * size + b"\n", bad=1, says=(PROMPT,))
        yield Bad(name=f"a line of {size} NULs", data=b"\0" * size + b"\n", bad=1)
    yield Bad(name="NULs inside a record", data=whole[:60] + b"\0" * 64 + whole[124:], bad=1)
    yield Bad(name="NULs over the end of a record", data=whole[:-40] + b"\0" * 40 + row("prompt", 1), bad=1,
              says=(PROMPT,))  # fmt: skip
    yield Bad(name="NULs for line breaks", data=whole[:-1] + b"\0" + row("prompt", 1), bad=1, says=(PROMPT,) * 2)


def _oversized() -> Iterator[Bad]:
    """Lines longer than any that is worth its memory."""
    long = HUGE + b"\n"
    over = b"x" + long
    padded = row("prompt").replace(WORD, b"do " + HUGE + b"fail")
    yield Bad(name="a line at the limit", data=long, bad=1)
    yield Bad(name="a line over the limit", data=over, oversize=1)
    yield Bad(name="a line of twice the limit", data=HUGE + long, oversize=1)
    yield Bad(name="two lines over the limit", data=over * 2, oversize=2)
    yield Bad(name="a prompt over the limit", data=padded, oversize=1)
    yield Bad(name="a prompt behind a line over the limit", data=over + row("prompt"), oversize=1, says=(PROMPT,))
    yield Bad(name="a prompt over the limit spliced to another", data=padded[:-1] + row("prompt", 1), oversize=1)


def _broken_lines() -> Iterator[Bad]:
    """Other line breaks than one line feed."""
    one, two = row("prompt"), row("prompt", 1)
    yield Bad(name="CR LF", data=(one + two).replace(b"\n", b"\r\n"), says=(PROMPT,) * 2)
    yield Bad(name="CR only", data=one[:-1] + b"\r" + two, bad=1, says=(PROMPT,) * 2)
    yield Bad(name="LF CR", data=(one + two).replace(b"\n", b"\n\r") + b"\n", says=(PROMPT,) * 2)
    yield Bad(name="CR LF and LF mixed", data=one[:-1] + b"\r\n" + two, says=(PROMPT,) * 2)
    yield Bad(name="blank lines", data=b"\n\n" + one + b"\n \n\t\n" + two + b"\r\n", says=(PROMPT,) * 2)
    yield Bad(name="a bare line break inside a text", data=one.replace(WORD, b"do\nfail"), bad=2)
    yield Bad(name="a bare CR inside a text", data=one.replace(WORD, b"do\rfail"), bad=1)
    yield Bad(name="a bare tab inside a text", data=one.replace(WORD, b"do\tfail"), bad=1)
    yield Bad(name="a record over several lines", data=one.replace(b',"', b',\n"'), bad=one.count(b',"') + 1)
    yield Bad(name="a line separator inside a text", data=one.replace(WORD, "do\u2028fail".encode()),
              says=(PROMPT.replace("do fail", "do\u2028fail"),))  # fmt: skip
    yield Bad(name="vertical tab and form feed lines", data=b"\x0b\n\x0c\n")


def _coded() -> Iterator[Bad]:
    """Bytes that are not UTF-8, or are more than it."""
    whole = row("prompt")
    yield Bad(name="a byte order mark before a record", data=b"\xef\xbb\xbf" + whole, bad=1, says=(PROMPT,))
    yield Bad(name="a byte order mark alone", data=b"\xef\xbb\xbf\n", bad=1)
    for name, coded in {
        "a lone continuation byte": b"\x80",
        "a lone first byte": b"\xc3",
        "an overlong slash": b"\xc0\xaf",
        "a surrogate as three bytes": b"\xed\xa0\x80",
        "a code point beyond Unicode": b"\xf4\x90\x80\x80",
        "Latin-1": "é".encode("latin-1"),
        "bytes that never occur": b"\xfe\xff",
        "a cut character": "日".encode()[:2],
    }.items():
        yield Bad(name=f"{name} inside a text", data=whole.replace(WORD, b"do " + coded + b" fail"), bad=1)
    yield Bad(name="UTF-16", data=whole[:-1].decode().encode("utf-16-le").replace(b"\n", b"") + b"\n", bad=1)
    yield Bad(name="UTF-32", data=whole[:-1].decode().encode("utf-32-be").replace(b"\n", b"") + b"\n", bad=1)


def _escaped() -> Iterator[Bad]:
    """Escapes that stand for nothing."""
    whole = row("prompt")
    for name, escape, found in (
        ("half a surrogate pair, first", "ud83d", "\ufffd"),
        ("half a surrogate pair, second", "ude00", "\ufffd"),
        ("a surrogate pair the wrong way round", "ude00\\ud83d", "\ufffd\ufffd"),
        ("two first halves", "ud83d\\ud83d", "\ufffd\ufffd"),
    ):
        yield Bad(name=name, data=whole.replace(WORD, b"do" + (ESCAPE + escape).encode() + b"fail"), bad=1,
                  says=(PROMPT.replace("do fail", f"do{found}fail"),))  # fmt: skip
    for name, broken in (("an unknown escape", "x41"), ("a short escape", "u12"), ("an octal escape", "012")):
        yield Bad(name=name, data=whole.replace(WORD, (ESCAPE + broken + '"').encode()), bad=1)
    yield Bad(name="an escaped NUL", data=whole.replace(WORD, rb"do\u0000fail"),
              says=(PROMPT.replace("do fail", "do\0fail"),))  # fmt: skip


def _values() -> Iterator[Bad]:
    """JSON that is none, or more of it than fits."""
    whole = row("prompt")
    opening = whole[:-2] + b',"more":'
    for number in ("NaN", "Infinity", "-Infinity"):
        yield Bad(name=f"{number} in a record", data=opening + number.encode() + b"}\n", bad=1, says=(PROMPT,))
    yield Bad(name="an integer of 4,000 digits", data=opening + b"9" * 4000 + b"}\n", bad=0, says=(PROMPT,))
    yield Bad(name="a number beyond all floats", data=opening + b"1e999999}\n", bad=0, says=None)
    for depth in (500, 5_000, 200_000):
        yield Bad(name=f"{depth} lists deep", data=opening + b"[" * depth + b"]" * depth + b"}\n", bad=depth > 500,
                  says=None)  # fmt: skip
    yield Bad(name="5,000 open lists", data=opening + b"[" * 5000 + b"\n", bad=1)
    yield Bad(name="a comma too many", data=whole[:-2] + b",}\n", bad=1)
    yield Bad(name="single quotes", data=whole.replace(b'"', b"'"), bad=1)
    yield Bad(name="a comment behind a record", data=whole[:-1] + b" // checked\n", bad=1, says=(PROMPT,))
    yield Bad(name="a key that comes twice", data=whole[:-2] + b',"type":"user"}\n', says=(PROMPT,))
    for scalar in ("7", '"x"', "null", "true", "[]", "-0.5", "[{}]"):
        yield Bad(name=f"a line that is {scalar}", data=scalar.encode() + b"\n", bad=1)
    yield Bad(name="an empty record", data=b"{}\n", unknown=1)


def _no_lines() -> Iterator[Bad]:
    """Much of nothing."""
    yield Bad(name="nothing in between", data=b"")
    yield Bad(name="20,000 line breaks", data=b"\n" * 20_000)
    yield Bad(name="a megabyte of blanks", data=b" " * 1_000_000 + b"\n")
    yield Bad(name="a megabyte of NULs", data=b"\0" * 1_000_000 + b"\n", bad=1)
    yield Bad(name="3,000 braces on lines of their own", data=b"{\n" * 3_000, bad=3_000)
    yield Bad(name="starts of records without end", data=b'{"type":"user","x":' * 20_000 + b"\n", bad=1)
    yield Bad(name="every byte there is", data=bytes(range(256)).replace(b"\n", b"") * 40 + b"\n", bad=1)


def _strangers() -> Iterator[Bad]:
    """What other programs leave in a file."""
    whole = row("prompt")
    conflict = b"<<<<<<< HEAD\n" + whole + b"=======\n" + row("prompt", 1) + b">>>>>>> theirs\n"
    yield Bad(name="marks of a merge conflict", data=conflict, bad=3, says=(PROMPT,) * 2)
    packed = gzip.compress(whole, mtime=0).replace(b"\n", b"")
    yield Bad(name="compressed bytes", data=packed + b"\n", bad=1)
    yield Bad(name="a page of HTML", data=b"<!doctype html>\n<title>502</title>\n", bad=2)
    yield Bad(name="a line of a log before a record", data=b"[12:00] wrote " + whole, bad=1, says=(PROMPT,))
    yield Bad(name="colours of a terminal", data=b"\x1b[31m" + whole[:-1] + b"\x1b[0m\n", bad=1, says=(PROMPT,))
    yield Bad(name="a list of all records", data=b"[" + whole[:-1] + b",\n" + row("prompt", 1)[:-1] + b"]\n", bad=2,
              says=(PROMPT,) * 2)  # fmt: skip
