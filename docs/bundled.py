"""Make reports/bundled and the README's table from a run of the bundled experiment, or check them.

python docs/bundled.py reports/demo            write them
python docs/bundled.py reports/demo --check    exit 1 if they differ from what stands in git
"""

import argparse
import hashlib
import re
import sys
from pathlib import Path

from research_eval.journal import RunFolder
from research_eval.report import load_view
from research_eval.report.html import render_html
from research_eval.report.markdown import render_markdown
from research_eval.report.plot import draw_plots

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "reports" / "bundled"
README = ROOT / "README.md"
BETWEEN = re.compile(r"(<!-- bundled table -->\n).*?(<!-- end -->)", re.DOTALL)
SVG_HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'


def contents(run: Path) -> dict[Path, bytes]:
    """Return what each file must hold."""
    folder = RunFolder(run)
    view = load_view(folder)
    markdown = render_markdown(view)
    digest = hashlib.sha256(folder.trials_path.read_bytes()).hexdigest()
    return {
        TARGET / "report.html": render_html(view, folder).encode(),
        TARGET / "report.md": markdown.encode(),
        TARGET / "pass.svg": picture(draw_plots(view)["pass"]).encode(),
        TARGET / "manifest.json": (run / "manifest.json").read_bytes(),
        TARGET / "trials.sha256": f"{digest}  trials.jsonl\n".encode(),
        README: readme(markdown).encode(),
    }


def picture(svg: str) -> str:
    """Return the plot as a file of its own, on white."""
    svg = svg if "xmlns=" in svg.partition(">")[0] else svg.replace("<svg", SVG_HEAD, 1)
    head, bracket, rest = svg.partition(">")
    return f'{head}{bracket}<rect width="100%" height="100%" fill="#ffffff"/>{rest}'


def readme(markdown: str) -> str:
    """Return the README with the report's first table in its place."""
    table = re.search(r"^\|.*?(?=\n\n)", markdown, re.DOTALL | re.MULTILINE)
    if table is None:
        sys.exit("the report has no table")
    text = README.read_text(encoding="utf-8")
    return BETWEEN.sub(lambda match: f"{match[1]}{table[0]}\n{match[2]}", text)


def main() -> int:
    """Write or check."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    wanted = contents(options.run)
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
