"""How well the support check agrees with people: confusion tables, and floors that only rise.

    python benchmarks/support.py              the project's own set, against its floors
    python benchmarks/support.py FOLDER       also WiCE dev and ExpertQA a, where FOLDER holds them
    python benchmarks/support.py --update     write the floors of today; lowers none

Exits 1 below a floor, or where a published set no longer gives the table that the package prints.
"""

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from support_sets import OWN, Labelled, found_in, own, worthiness as labelled_worthiness

from research_eval.scorer.support import Level, PageText, judge_support
from research_eval.scorer.support_error import MEASURED, LevelCounts, SupportErrors
from research_eval.scorer.worthiness import MEASURED as WORTHINESS, Agreement, is_check_worthy
from research_eval.stats import wilson

FLOORS = Path(__file__).parent / "support_floors.json"
TOLERANCE = 0.0005
LEVELS: tuple[Level, ...] = ("red", "green", "undecided")


def confusion(claims: Sequence[Labelled], name: str, *, is_whole: bool = True) -> SupportErrors:
    """Return what the check said of each claim against what people said."""
    table: Counter[tuple[Level, bool]] = Counter()
    pages: dict[str, PageText] = {}
    for claim in claims:
        page = pages.setdefault(claim.page, PageText(claim.page))
        level = judge_support(claim.claim, page, is_whole=is_whole).level
        table[level, claim.is_supported] += 1
    counts = {level: LevelCounts(table[level, True], table[level, False]) for level in LEVELS}
    return SupportErrors(name, **counts)


def wrong_page(claims: Sequence[Labelled]) -> Counter[Level]:
    """Return what the check says of supported claims held against every other page of the set."""
    texts = dict.fromkeys(claim.page for claim in claims)
    pages = {text: PageText(text) for text in texts}
    found: Counter[Level] = Counter()
    for claim in claims:
        if claim.is_supported:
            for text, page in pages.items():
                if text != claim.page:
                    found[judge_support(claim.claim, page).level] += 1
    return found


def show(errors: SupportErrors) -> None:
    total = sum(getattr(errors, level).total for level in LEVELS)
    supported = sum(getattr(errors, level).supported for level in LEVELS)
    print(f"\n{errors.labelled_set}: {total} claims, {supported / total:.1%} supported")
    print(f"  {'level':10} {'share':>6} {'supported':>10} {'unsupported':>12}")
    for level in LEVELS:
        row = getattr(errors, level)
        print(f"  {level:10} {row.total / total:>6.1%} {row.supported:>10} {row.unsupported:>12}")
    for level, right, of in (
        ("RED is unsupported", errors.red.unsupported, errors.red.total),
        ("GREEN is supported", errors.green.supported, errors.green.total),
        ("unsupported ones that are RED", errors.red.unsupported, total - supported),
        ("supported ones that are RED", errors.red.supported, supported),
    ):
        low, high = wilson(right, of)
        share = right / of if of else 0.0
        print(f"  {level}: {share:.3f} [{low:.3f}, {high:.3f}] of {of}")


def figures() -> dict[str, float]:
    """Return the figures of the own set that have a floor; higher is better for all."""
    claims = list(own())
    errors = confusion(claims, "own")
    strangers = wrong_page(claims)
    total = len(claims)
    supported = sum(claim.is_supported for claim in claims)
    return {
        "red_precision": errors.red.unsupported / errors.red.total,
        "green_precision": errors.green.supported / errors.green.total,
        "unsupported_found": errors.red.unsupported / (total - supported),
        "supported_not_red": 1 - errors.red.supported / supported,
        "decided": 1 - errors.undecided.total / total,
        "wrong_page_red": strangers["red"] / strangers.total(),
        "wrong_page_not_green": 1 - strangers["green"] / strangers.total(),
    }


def digest() -> str:
    content = b"".join((OWN / name).read_bytes() for name in ("pages.jsonl", "claims.jsonl"))
    return hashlib.sha256(content).hexdigest()


def check_floors(found: dict[str, float], floors: dict[str, object]) -> list[str]:
    """Return what is wrong: another corpus, or a figure below its floor."""
    if floors["corpus_sha256"] != digest():
        return ["datasets/support is not the set that the floors were measured on"]
    pinned: dict[str, float] = floors["floors"]
    return [
        f"{name}: {found.get(name, 0.0):.4f} is below the floor of {floor:.4f}"
        for name, floor in pinned.items()
        if found.get(name, 0.0) < floor - TOLERANCE
    ]


def update(found: dict[str, float], *, allow: bool) -> list[str]:
    """Write the floors of today; return why not, if one would go down."""
    old = json.loads(FLOORS.read_text()) if FLOORS.is_file() else None
    if old and not allow:
        lower = [n for n, v in old["floors"].items() if found.get(n, 0.0) < v - TOLERANCE]
        if lower:
            return [f"{', '.join(lower)}: would go down; --allow-regression if that is meant"]
    floors = {name: round(value, 4) for name, value in found.items()}
    content = {"corpus_sha256": digest(), "floors": floors}
    FLOORS.write_text(json.dumps(content, indent=2) + "\n")
    return []


def published(folder: Path) -> list[str]:
    """Show the published sets; return where they differ from the table of the package."""
    problems = []
    known = {errors.labelled_set: errors for errors in MEASURED}
    for name, claims in found_in(folder).items():
        entry = next((one for label, one in known.items() if label.startswith(name)), None)
        measured = confusion(claims, entry.labelled_set if entry else name)
        show(measured)
        if entry is not None and measured != entry:
            problems.append(f"{name}: the package says {entry}")
        if name.startswith("ExpertQA"):
            show(confusion(claims, f"{name}, read as cut texts", is_whole=False))
            problems += worthiness(folder / "expertqa_a.jsonl")
    return problems


def worthiness(path: Path) -> list[str]:
    """Show how far the proxy for check-worthy sentences agrees with experts.

    The rule was chosen on the questions in even places; those in odd places were held out.
    """
    halves = {name: Counter[tuple[bool, bool]]() for name in ("chosen on", "held out")}
    for number, claim, is_worthy in labelled_worthiness(path):
        halves["held out" if number % 2 else "chosen on"][is_check_worthy(claim), is_worthy] += 1
    print("\nWorth a check, against experts (ExpertQA a, every claim)")
    for name, table in halves.items():
        found = Agreement(
            WORTHINESS.labelled_set,
            both=table[True, True],
            people_alone=table[False, True],
            proxy_alone=table[True, False],
            neither=table[False, False],
        )
        print(
            f"  {name}: {found.total} claims, agreement {found.agreement:.3f},"
            f" kappa {found.kappa or 0.0:.3f}, precision {found.precision:.3f},"
            f" recall {found.recall:.3f}; both {found.both}, experts alone {found.people_alone},"
            f" proxy alone {found.proxy_alone}, neither {found.neither}"
        )
    return [] if found == WORTHINESS else [f"worthiness: the package says {WORTHINESS}"]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--allow-regression", action="store_true")
    options = parser.parse_args(arguments)
    claims = list(own())
    show(confusion(claims, "own claims"))
    found = figures()
    for name, value in found.items():
        print(f"  {name}: {value:.4f}")
    problems = published(options.folder) if options.folder else []
    if options.update:
        problems += update(found, allow=options.allow_regression)
    else:
        problems += check_floors(found, json.loads(FLOORS.read_text()))
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
