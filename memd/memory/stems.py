"""What different forms of one English word share: endings, irregular forms, and how developers shorten things."""

from __future__ import annotations

from functools import lru_cache

_ENDINGS = tuple(
    sorted(
        (  # noqa: SIM905 - read more easily than a list
            "ability ibility able ible ness ity ations ation ating ated ates ators ator ate ions ion ments ment ings"
            " ing ies ied ers er ed es ly s e y"
        ).split(),
        key=len,
        reverse=True,
    )
)
_SHORTEST = 3  # letters that stay
_FORMS = (  # the first stands for all of a line
    "keep kept",
    "break broke broken",
    "build built",
    "choose chose chosen",
    "write wrote written",
    "send sent",
    "leave left",
    "hold held",
    "find found",
    "lose lost",
    "give gave given",
    "take took taken",
    "begin began begun",
    "run ran",
    "teach taught",
    "learn learnt",
    "speak spoke spoken",
    "bring brought",
    "buy bought",
    "catch caught",
    "know knew known",
    "grow grew grown",
    "drive drove driven",
    "hide hid hidden",
    "throw threw thrown",
    "spend spent",
    "think thought",
    "test tests tested testing",
    "repo repos repository repositories",
    "doc docs documentation documents",
    "config configs configuration configurations configure configured",
    "db dbs database databases",
    "prod production",
    "dev development",
    "dep deps dependency dependencies",
    "admin admins administrator administrators",
    "app apps application applications",
    "env environment environments",
    "perf performance",
    "param params parameter parameters",
    "arg args argument arguments",
    "func fn function functions",
    "var vars variable variables",
    "js javascript",
    "ts typescript",
    "k8s kubernetes",
    "pg postgres postgresql",
    "dir dirs directory directories",
    "msg message messages",
    "colour color colours colors",
    "behaviour behavior behaviours behaviors",
    "summarise summarize summary summaries summarising summarizing summarised summarized",
)
_SAME = {form: line.split()[0] for line in _FORMS for form in line.split()}


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A lower-case word without its ending, so that "tests" and "tested", "split" and "splitting" are one."""
    known = _SAME.get(word, word)
    short = _shorter(_shorter(known))  # "cleverness", "clever"
    return short[:-1] if len(short) > _SHORTEST and short[-1] == short[-2] else short


def _shorter(word: str) -> str:
    fits = (end for end in _ENDINGS if word.endswith(end) and len(word) - len(end) >= _SHORTEST)
    return word.removesuffix(next(fits, ""))
