"""How large the package is: statements, files and lines, by part and in all.

    python benchmarks/size.py                    of this tree
    python benchmarks/size.py --against 0510269  beside another commit

A statement is a node of Python's syntax tree that stands for one, docstrings left out; data, tests and
benchmarks do not count.
"""

import argparse
import ast
import subprocess
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "research_eval"


def statements(source: str) -> int:
    """Return how many statements a module has, docstrings left out."""
    return sum(
        isinstance(node, ast.stmt)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in ast.walk(ast.parse(source))
    )


def sources(commit: str | None) -> dict[str, str]:
    """Return the modules of the package, of this tree or of a commit, by path."""
    if commit is None:
        files = (ROOT / PACKAGE).rglob("*.py")
        return {str(p.relative_to(ROOT)): p.read_text(encoding="utf-8") for p in files}
    listed = _git("ls-tree", "-r", "--name-only", commit, PACKAGE).splitlines()
    return {path: _git("show", f"{commit}:{path}") for path in listed if path.endswith(".py")}


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


def main() -> None:
    """Print one row a part."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", metavar="COMMIT")
    options = parser.parse_args()
    columns = [sources(None)] + ([sources(options.against)] if options.against else [])
    totals = [Counter[str](), Counter[str]()]
    files = [Counter[str](), Counter[str]()]
    for place, column in enumerate(columns):
        for path, source in column.items():
            part = path.split("/")[1]
            totals[place][part] += statements(source)
            files[place][part] += 1
    for part in sorted({*totals[0], *totals[1]}):
        before = f"{totals[1][part]:>8} {files[1][part]:>5}" if options.against else ""
        print(f"{part:20} {totals[0][part]:>8} {files[0][part]:>5} {before}")
    now, then = totals[0].total(), totals[1].total()
    change = f"{then:>8} {files[1].total():>5}  {now / then - 1:+.1%}" if options.against else ""
    print(f"{'statements, files':20} {now:>8} {files[0].total():>5} {change}")


if __name__ == "__main__":
    main()
