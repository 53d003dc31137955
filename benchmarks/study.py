"""How published research reports write their sources: a study that anybody can repeat.

    python benchmarks/study.py FILES...   import, score and compare them; write reports/study-citation-form
    python benchmarks/study.py --check    exit 1 if the page differs from the values beside it

The reports' texts are not a part of this project. Each file is known by its digest, below.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

TARGET = Path(__file__).resolve().parents[1] / "reports" / "study-citation-form"
COMMAND = [sys.executable, "-m", "research_eval"]


class Source(NamedTuple):
    """A published file of reports, one JSON object `{id, prompt, article}` a line."""

    configuration: str
    origin: str
    licence: str


OPEN_DEEP_RESEARCH = "langchain-ai/open_deep_research at 408da442, tests/expt_results"
SOURCES = {
    "05f7bbfd9f386740de2285d36441cd4333ce658d3c8337d10002a5309fb5ddd2": Source(
        "claude-sonnet-4", OPEN_DEEP_RESEARCH, "MIT"
    ),
    "be369269ac1cbe3025ceac9e31d1d4a32bf86398936b7ab5e26df510701a5049": Source(
        "gpt-4.1", OPEN_DEEP_RESEARCH, "MIT"
    ),
    "d9bc5b911890661f7d2e7730e7781d570ff93d0a0bb6b9fd4c591b86050459f8": Source(
        "unnamed", "DeepResearch Bench, 50 reports of one model", "Apache-2.0"
    ),
}
"""Every file of the study by the SHA-256 of its bytes."""

MEASURES = {
    "final_citations": "citations in a report",
    "cited_sites": "sites in a report",
    "domain_concentration": "largest share of one site",
    "front_pages": "cited front pages",
    "shortened_urls": "cited URLs cut by an ellipsis",
    "malformed_urls": "damaged URLs in a report",
    "unresolved_markers": "markers without a source in a report",
    "unused_sources": "listed sources that no sentence names, in a report",
    "uncited_assertion": "reports that assert and cite nothing",
}
COMPARED = ("final_citations", "cited_sites", "front_pages", "unresolved_markers")

INTRODUCTION = """\
Real reports of agents that ran elsewhere, without a record of what they opened. Made by
`python benchmarks/study.py FILES…` from the files below; the reports' texts are not a part of this project."""
LEGEND = """\
Each value has its 95 % interval and its n. A dash: no interval, because every report has the same value."""
METHOD = """\
Each file was imported (`research-eval import reports`), scored and compared; nothing was asked and nothing
was opened. A file is one configuration. All share the prompts of DeepResearch Bench, so that a comparison
is paired over prompts. A rate's interval is over prompts, its n counts cited URLs or reports; p values are of
the paired permutation test, corrected (Holm) over all comparisons of the table.
"""
LIMITS = """\
- Nobody recorded what these agents opened. Whether a cited page was read, exists, or supports its sentence is
  not known, and no number here says it. The measures that need a ledger have no value.
- One report a prompt and model. Prompts, search and the agent around the model differ between origins: a
  difference is one of whole systems, not of models.
- The third file holds half of the prompts, and says of no report which model wrote it.
- Whoever published the files chose them. They are no sample of what the systems write today.
"""


def main() -> int:
    """Make the study, or check its page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    values, page = TARGET / "values.json", TARGET / "README.md"
    if args.check:
        fresh = render(json.loads(values.read_text(encoding="utf-8")))
        return int(fresh != page.read_text(encoding="utf-8"))
    if not args.files:
        parser.error("give the files of reports, or --check")
    found = study(args.files)
    values.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    page.write_text(render(found), encoding="utf-8")
    print(f"wrote {page.relative_to(Path.cwd())}" if page.is_relative_to(Path.cwd()) else page)
    return 0


def study(files: Sequence[Path]) -> dict[str, Any]:
    """Return the values of all files together."""
    with tempfile.TemporaryDirectory() as scratch:
        copies = [_known(file, Path(scratch)) for file in files]
        run = Path(scratch) / "run"
        _call("import", "reports", *map(str, copies), "--out", str(run))
        scores = json.loads(_call("score", str(run), "--all", "--json"))
        wanted = [word for name in COMPARED for word in ("--measure", name)]
        compared = json.loads(_call("compare", str(run), *wanted, "--json"))
    return {
        "files": {_digest(file): file.name for file in files},
        "configurations": [_values(each) for each in scores["configurations"]],
        "comparisons": list(_differences(compared)),
    }


def _known(file: Path, folder: Path) -> Path:
    """Copy a file under its configuration's name, after a look at its digest."""
    source = SOURCES.get(_digest(file))
    if source is None:
        sys.exit(f"{file}: is none of the study's files (SHA-256 {_digest(file)})")
    copy = folder / f"{source.configuration}.jsonl"
    copy.write_bytes(file.read_bytes())
    return copy


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _call(*words: str) -> str:
    done = subprocess.run(
        [*COMMAND, *words], capture_output=True, text=True, check=False
    )  # own command
    if done.returncode not in {0, 3}:
        sys.exit(done.stderr)
    return done.stdout


def _values(configuration: dict[str, Any]) -> dict[str, Any]:
    measures = {each["measure"]: each for each in configuration["measures"]}
    kept = ("value", "interval", "n", "scored", "unit")
    return {
        "configuration": configuration["configuration"],
        "reports": configuration["run"],
        "measures": {name: {key: measures[name][key] for key in kept} for name in MEASURES},
    }


def _differences(compared: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for pair in compared["comparisons"]:
        for measure in pair["measures"]:
            yield {
                "base": pair["base"].rsplit(": ", 1)[-1],
                "head": pair["head"].rsplit(": ", 1)[-1],
                **{
                    key: measure[key] for key in ("measure", "cases", "difference", "interval", "p")
                },
            }


def render(found: dict[str, Any]) -> str:
    """Return the study's page."""
    names = [each["configuration"] for each in found["configurations"]]
    return "\n".join(
        [
            "# How published research reports write their sources",
            "",
            INTRODUCTION,
            "",
            "| configuration | reports | from | licence | SHA-256 |",
            "|---|---|---|---|---|",
            *_sources(found),
            "",
            f"| measure | {' | '.join(names)} |",
            f"|---|{'---|' * len(names)}",
            *(_row(name, found["configurations"]) for name in MEASURES),
            "",
            LEGEND,
            "",
            "| measure | base | head | prompts | head minus base, 95 % interval | p |",
            "|---|---|---|---|---|---|",
            *map(_difference, found["comparisons"]),
            "",
            "## Method",
            "",
            METHOD,
            "## Limits",
            "",
            LIMITS,
        ]
    )


def _sources(found: dict[str, Any]) -> Iterator[str]:
    reports = {each["configuration"]: each["reports"] for each in found["configurations"]}
    for digest, name in found["files"].items():
        source = SOURCES[digest]
        yield (
            f"| {source.configuration} | {reports[_slug(source.configuration)]} "
            f"| {source.origin}, `{name}` | {source.licence} | `{digest}` |"
        )


def _slug(name: str) -> str:
    return name.replace(".", "-")


def _row(name: str, configurations: Sequence[dict[str, Any]]) -> str:
    cells = [_cell(each["measures"][name]) for each in configurations]
    return f"| {MEASURES[name]} | {' | '.join(cells)} |"


def _cell(measure: dict[str, Any]) -> str:
    if measure["value"] is None:
        return "no value"
    scale, sign = (100, " %") if measure["unit"] in {"share", "yes_no"} else (1, "")
    ends = measure["interval"]
    span = f"{ends[0] * scale:.1f} to {ends[1] * scale:.1f}" if ends else "-"
    return f"{measure['value'] * scale:.1f}{sign} ({span}; n {measure['n']:.0f})"


def _difference(each: dict[str, Any]) -> str:
    scale, sign = (100, " points") if each["measure"] == "front_pages" else (1, "")
    low, high = (end * scale for end in each["interval"])
    p = "< 0.001" if each["p"] < 0.001 else f"{each['p']:.3f}"
    return (
        f"| {MEASURES[each['measure']]} | {each['base']} | {each['head']} | {each['cases']} "
        f"| {each['difference'] * scale:+.1f}{sign} [{low:+.1f}, {high:+.1f}] | {p} |"
    )


if __name__ == "__main__":
    sys.exit(main())
