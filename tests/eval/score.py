#!/usr/bin/env python3
# ruff: noqa: ANN001, ANN201, ARG005, B905, C408, D209, EXE001, RUF005, SIM105, T201 - kept as it came with the labelled set
# mypy: ignore-errors
# fmt: off
"""Score extracted memories against a labelled cases file.

    score.py CASES.jsonl RESULTS.jsonl [-v] [--json] [--min-precision P] [--min-recall R]
    score.py --selftest [CASES.jsonl ...]

RESULTS holds one line per case: {"id": ..., "memories": [{"type": ..., "text": ...}]}.
A line for every case is required, so a crashed engine cannot pass as a quiet one.
Exit codes: 0 fine; 1 below a threshold (an undefined ratio counts as 0) or failed
self-test; 2 unusable input.
"""
import argparse
import calendar
import json
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path

COUNTS = ("cases", "expected", "emitted", "hits", "wrong_type", "noop", "noop_ok", "forbidden")


def norm(text):
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def has_date(iso, text):
    """True if normalised `text` names the day `iso`, year included, in a common spelling."""
    y, m, d = (int(x) for x in iso.split("-"))
    mon = calendar.month_abbr[m].lower() + r"[a-z]*\.?"
    day = rf"0?{d}(?:st|nd|rd|th)?"
    return re.search(
        rf"(?<!\d){y}(?P<sep>[-/.])0?{m}(?P=sep)0?{d}(?!\d)"
        rf"|(?<!\d){y} ?年 ?0?{m} ?月 ?0?{d} ?[日号]"
        rf"|\b{mon} {day},? {y}\b|(?<!\d){day} (?:of )?{mon},? {y}\b", text) is not None


def content_matches(expect, text):
    text = norm(text)
    dates = expect.get("date_any") or ([expect["date"]] if "date" in expect else [])
    return (all(norm(k) in text for k in expect["all_of"])
            and all(any(norm(k) in text for k in group) for group in expect.get("any_of", ()))
            and (not dates or any(has_date(d, text) for d in dates)))


def score_case(case, memories):
    """Match one to one, greedily: the expectation with the fewest candidates goes first.

    A first round wants type and content, a second one looks for content under a wrong type.
    Returns (counts, indices of the expectations that were met, lines for -v)."""
    expects, used, hit, wrong = case["expect"], set(), {}, {}
    fits = [[j for j, m in enumerate(memories) if content_matches(e, m["text"])] for e in expects]
    typed = [[j for j in js if memories[j]["type"] == e["type"]] for e, js in zip(expects, fits)]
    for found, options in ((hit, typed), (wrong, fits)):
        for i in sorted(range(len(expects)), key=lambda i: len(options[i])):
            free = [j for j in options[i] if j not in used]
            if i not in hit and free:
                found[i] = free[0]
                used.add(free[0])
    leaks = [f for f in case["forbid"] if any(norm(f) in norm(m["text"]) for m in memories)]
    counts = Counter(cases=1, expected=len(expects), emitted=len(memories), hits=len(hit),
                     wrong_type=len(wrong), noop=not expects,
                     noop_ok=not expects and not memories, forbidden=len(leaks))
    lines = [f"wrong type ({memories[j]['type']}): {expects[i]}" for i, j in wrong.items()]
    lines += [f"missed: {e}" for i, e in enumerate(expects) if i not in hit and i not in wrong]
    lines += [f"extra ({m['type']}): {m['text'][:160]!r}"
              for j, m in enumerate(memories) if j not in used]
    return counts, set(hit), lines + [f"forbidden: {f!r}" for f in leaks]


def score(cases, results):
    """Returns ({"total:all" | "lang:.." | "type:.." | "tag:..": counts}, {case id: lines})."""
    by_id = {r["id"]: r["memories"] for r in results}
    ids = {c["id"] for c in cases}
    if not len(ids) == len(cases) == len(results) or ids != set(by_id):
        raise ValueError(f"ids differ or repeat, e.g. {sorted(ids ^ set(by_id))[:5]}")
    groups, details = defaultdict(Counter), {}
    for case in cases:
        memories = by_id[case["id"]]
        counts, hit, lines = score_case(case, memories)
        for key in ["total:all", f"lang:{case['lang']}"] + [f"tag:{t}" for t in case["tags"]]:
            groups[key].update(counts)
        for i, e in enumerate(case["expect"]):
            groups[f"type:{e['type']}"].update(expected=1, hits=i in hit)
        for m in memories:
            groups[f"type:{m['type']}"].update(emitted=1)
        if lines:
            details[case["id"]] = lines
    return groups, details


def report(c):
    ratio = lambda a, b: round(a / b, 4) if b else None  # noqa: E731
    return {"recall": ratio(c["hits"], c["expected"]), "precision": ratio(c["hits"], c["emitted"]),
            "type_accuracy": ratio(c["hits"], c["hits"] + c["wrong_type"]),
            "noop_accuracy": ratio(c["noop_ok"], c["noop"]), **{k: int(c[k]) for k in COUNTS}}


def passes(counts, min_precision, min_recall):
    r = report(counts)
    return (r["precision"] or 0) >= min_precision and (r["recall"] or 0) >= min_recall


def show(groups):
    cols = {"recall": "recall", "precision": "precis", "type_accuracy": "type",
            "noop_accuracy": "no-op", "cases": "cases", "expected": "expect",
            "emitted": "emit", "hits": "hit", "forbidden": "forbid"}
    print(f"{'':<24}" + "".join(f"{h:>8}" for h in cols.values()))
    order = ["total", "lang", "type", "tag"]
    for key in sorted(groups, key=lambda k: (order.index(k.split(":")[0]), k)):
        r = report(groups[key])
        if key.startswith("type:"):     # groups memories, not cases
            r.update(type_accuracy=None, cases=None, forbidden=None)
        cells = [f"{r[c]:.3f}" if isinstance(r[c], float) else r[c] for c in cols]
        print(f"{key:<24}" + "".join(f"{'-' if v is None else v:>8}" for v in cells))


def perfect_memory(e):
    words = e["all_of"] + [group[0] for group in e.get("any_of", ())]
    day = e.get("date") or e.get("date_any", [""])[0]
    return {"type": e["type"], "text": f"---\ntype: {e['type']}\n---\n{' | '.join(words)}\n{day}\n"}


def selftest(cases):
    """Feeds perfect results and results broken in one known way; checks the exact scores."""
    total = sum(len(c["expect"]) for c in cases)
    undated = sum(not {"date", "date_any"} & set(e) for c in cases for e in c["expect"])
    forbids = sum(len(c["forbid"]) for c in cases)
    iso, types = r"(\d{4})-(\d\d)-(\d\d)", ["user", "feedback", "project", "reference"] * 2
    junk = {"type": "feedback", "text": "zzz"}
    retext = lambda ms, f: [{**m, "text": f(m["text"])} for m in ms]  # noqa: E731
    retype = lambda ms: [{**m, "type": types[types.index(m["type"]) + 1]} for m in ms]  # noqa: E731
    runs = [  # name, what happens to the perfect memories, part of the report it must give
        ("perfect", lambda c, ms: ms, dict(recall=1, precision=1, type_accuracy=1,
                                           noop_accuracy=1, forbidden=0)),
        ("reversed", lambda c, ms: ms[::-1], dict(recall=1, precision=1)),
        ("silent", lambda c, ms: [], dict(recall=0, precision=None, noop_accuracy=1)),
        ("one extra each", lambda c, ms: ms + [junk], dict(
            recall=1, noop_accuracy=0, precision=round(total / (total + len(cases)), 4))),
        ("all twice", lambda c, ms: ms + ms, dict(recall=1, precision=.5, noop_accuracy=1)),
        ("wrong type", lambda c, ms: retype(ms), dict(recall=0, type_accuracy=0, wrong_type=total)),
        ("no keyword", lambda c, ms: retext(ms, lambda t: "zzz"), dict(hits=0, wrong_type=0)),
        ("no date", lambda c, ms: retext(ms, lambda t: re.sub(iso, "", t)), dict(hits=undated)),
        ("spelled date", lambda c, ms: retext(
            ms, lambda t: re.sub(iso, r"\1 年 \2 月 \3 日", t)), dict(hits=total)),
        ("leaks", lambda c, ms: ms + [{"type": "user", "text": f.upper()} for f in c["forbid"]],
         dict(forbidden=forbids, recall=1)),
    ]
    good = True
    for name, change, want in runs:
        groups, _ = score(cases, [{"id": c["id"], "memories": change(
            c, [perfect_memory(e) for e in c["expect"]])} for c in cases])
        got = report(groups["total:all"])
        wrong = {k: got[k] for k, v in want.items() if got[k] != v}
        print(f"{'FAIL' if wrong else 'ok  '} {name}", wrong or "")
        good = good and not wrong
    half = Counter(expected=4, hits=2, emitted=2)
    gates = passes(half, 1, .5) and not passes(half, 1, .6) and not passes(Counter(), .1, 0)
    try:
        gates = bool(score(cases, [])) and False
    except ValueError:
        pass
    print(f"{'ok  ' if gates else 'FAIL'} thresholds and missing ids")
    return good and gates


def load(path):
    return [json.loads(line) for line in Path(path).read_text("utf-8").splitlines() if line.strip()]


def main(argv=None):
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("files", nargs="*", metavar="FILE")
    ap.add_argument("--selftest", action="store_true")
    ap.add_argument("--json", action="store_true")
    ap.add_argument("-v", "--verbose", action="store_true", help="list misses, extras and leaks")
    ap.add_argument("--min-precision", type=float, default=0.0)
    ap.add_argument("--min-recall", type=float, default=0.0)
    args = ap.parse_args(argv)
    try:
        if args.selftest:
            here = Path(__file__).resolve().parent
            paths = args.files or [here / "extract_dev.jsonl"]
            return 0 if selftest([c for p in paths for c in load(p)]) else 1
        if len(args.files) != 2:
            ap.error("need CASES and RESULTS")
        groups, details = score(*map(load, args.files))
    except (OSError, ValueError, KeyError, TypeError) as e:
        print(f"score.py: {type(e).__name__}: {e}", file=sys.stderr)
        return 2
    if args.json:
        out = {"groups": {k: report(c) for k, c in groups.items()}, "details": details}
        print(json.dumps(out, ensure_ascii=False, indent=1))
    else:
        show(groups)
        for cid, lines in details.items() if args.verbose else ():
            print(cid, *lines, sep="\n    ")
    return 0 if passes(groups["total:all"], args.min_precision, args.min_recall) else 1


if __name__ == "__main__":
    sys.exit(main())
