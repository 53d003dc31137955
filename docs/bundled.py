"""Make the reports of the bundled experiments and the README's part of them from their runs, or check them.

python docs/bundled.py reports/demo reports/demo-calibration            write them
python docs/bundled.py reports/demo reports/demo-calibration --check    exit 1 if they differ from git
"""

import argparse
import hashlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from research_eval import load_run
from research_eval.experiment import Configuration, bundled_experiment, load_experiment
from research_eval.journal import RunFolder
from research_eval.model import known_values
from research_eval.report import load_view
from research_eval.report.finding import finding
from research_eval.report.html import render_html
from research_eval.report.markdown import render_markdown
from research_eval.report.plot import draw_plots
from research_eval.report.view import RunView
from research_eval.stats import wilson

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
SVG_HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
PROOF = """# What the calibration proves

{count} trials of {agents} *reference agents* were replayed: scripts that fabricate, repair, quote or stay silent in a known way, so that their true rates are known before anything is measured.
Of {exact}, whose behaviour holds no chance and whose gate is the default one, {shown} show exactly the known share of passed first answers, of passed last answers, and the known number of retries.
{mixed} fabricates at random, and {inside} known rates lie inside the interval that was measured.
So tools, ledger, gate, retries and statistics report what happened, over failing search providers too.
It proves nothing about models, and nothing about pages of the real web.

The whole report: [report.md](report.md). `research-eval demo calibration` makes the same trials again; their SHA-256 stands in trials.sha256.
"""


def contents(run: Path) -> Iterator[tuple[Path, str]]:
    """Yield what each file must hold."""
    folder = RunFolder(run)
    view = load_view(folder)
    name = "bundled" if view.manifest.experiment == "models" else "calibration"
    target = ROOT / "reports" / name
    markdown = render_markdown(view)
    digest = hashlib.sha256(folder.trials_path.read_bytes()).hexdigest()
    yield target / "report.html", render_html(view, folder)
    yield target / "report.md", markdown
    yield target / "pass.svg", picture(draw_plots(view)["pass"])
    yield target / "manifest.json", (run / "manifest.json").read_text(encoding="utf-8")
    yield target / "trials.sha256", f"{digest}  trials.jsonl\n"
    if name == "calibration":
        yield target / "README.md", proof(run)
    else:
        yield README, readme(run, view, markdown)


def picture(svg: str) -> str:
    """Return the plot as a file of its own, on white."""
    svg = svg if "xmlns=" in svg.partition(">")[0] else svg.replace("<svg", SVG_HEAD, 1)
    head, bracket, rest = svg.partition(">")
    return f'{head}{bracket}<rect width="100%" height="100%" fill="#ffffff"/>{rest}'


def readme(run: Path, view: RunView, markdown: str) -> str:
    """Return the README with the report's finding and first table in their places."""
    table = re.search(r"^\|.*?(?=\n\n)", markdown, re.DOTALL | re.MULTILINE)
    if table is None:
        sys.exit("the report has no table")
    text = README.read_text(encoding="utf-8")
    for place, words in (("table", table[0]), ("finding", " ".join([*finding(view), right(run)]))):
        marks = re.compile(rf"(<!-- bundled {place} -->\n).*?(<!-- end -->)", re.DOTALL)
        text = marks.sub(lambda match, new=words: f"{match[1]}{new}\n{match[2]}", text)  # type: ignore[misc]
    return text


def right(run: Path) -> str:
    """Say how many trials stated the expected facts."""
    told = [
        f"{int(rows.sum())} of {rows.count()} of {name}"
        for name, rows in load_run(run).trials.groupby("configuration", sort=False)["correct"]
    ]
    return f"Right, by the expected facts, were the answers of {'; '.join(told)}."


def proof(run: Path) -> str:
    """Say what the calibration proves, from its trials."""
    settings = load_experiment(bundled_experiment("calibration")).settings.configuration
    trials = load_run(run).trials
    rates = {
        name: (rows["first_attempt_passed"], rows["final_passed"], rows["retries"])
        for name, rows in trials.groupby("configuration")
    }
    mixed = [item for item in settings if "mixed" in item.model.name]
    plain = [item for item in settings if item not in mixed and item.gate == "default"]
    shown = [item for item in plain if known(item) == tuple(c.mean() for c in rates[item.name])]
    held = [
        interval.low <= true <= interval.high
        for item in mixed
        for true, column in zip(known(item), rates[item.name][:2], strict=False)
        for interval in (wilson(int(column.sum()), int(column.count())),)
    ]
    return PROOF.format(
        count=f"{len(trials):,}",
        agents=len(settings),
        exact=len(plain),
        shown="all" if len(shown) == len(plain) else len(shown),
        mixed=", ".join(item.name for item in mixed),
        inside=f"{sum(held)} of its {len(held)}",
    )


def known(item: Configuration) -> tuple[float, float, float]:
    """Return the true values of a reference agent: first attempt, final, retries."""
    truth = known_values(item.model.name.removeprefix("reference:"))
    retries = item.agent.max_retries
    return truth.first_attempt_passed(), truth.passed(retries), truth.mean_retries(retries)


def main() -> int:
    """Write or check."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    wanted = {path: text.encode() for run in options.runs for path, text in contents(run)}
    differing = [
        path for path, data in wanted.items() if not path.is_file() or path.read_bytes() != data
    ]
    for path in differing:
        print(f"{'differs' if options.check else 'wrote'}: {path.relative_to(ROOT)}")
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(wanted[path])
    return 1 if options.check and differing else 0


if __name__ == "__main__":
    sys.exit(main())
