"""Make the pictures in docs/failover/ and the tables in docs/failover.md.

Run: python benchmarks/failover_docs.py [--check]
With `--check` nothing is written, and a difference is a failure.
"""

import argparse
import re
import sys
from pathlib import Path

from research_eval.failover import bundled_scenarios, run_scenario, variant
from research_eval.failover.picture import draw_timeline
from research_eval.failover.report import write_files
from research_eval.failover.versus import pairings, versus_table

DOCS = Path(__file__).parent.parent / "docs"
PICTURES = ("half_failing", "always_slow", "short_pause")
SEEDS = {"choice": range(1, 3), "unseen": range(2001, 2003)}


def table(seeds: range) -> str:
    """Return the command and what it prints."""
    printed = versus_table(pairings(bundled_scenarios().values(), seeds))
    command = f"research-eval failover versus --seeds {seeds.start}..{seeds.stop - 1}"
    return f"`{command}`:\n\n{printed}"


def pictures() -> dict[str, bytes]:
    """Return the pictures of some scenarios under the default settings."""
    found = {}
    for name in PICTURES:
        scenario = bundled_scenarios()[name]
        trace = run_scenario(scenario, variant(scenario, "default"))
        found[f"failover/{name}.svg"] = draw_timeline(trace)
    return found


def filled(page: str, name: str, content: str) -> str:
    """Return the page with what stands between the marks called `name` replaced.

    The marks stay.
    """
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
    if not pattern.search(page):
        sys.exit(f"docs/failover.md has no marks called {name!r}")
    return pattern.sub(lambda found: f"{found[1]}\n{content}\n{found[2]}", page)


def main() -> None:
    """Make everything, then write it or compare it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    is_check = parser.parse_args().check
    page = (DOCS / "failover.md").read_text(encoding="utf-8")
    for name, seeds in SEEDS.items():
        page = filled(page, name, table(seeds))
    made = {**pictures(), "failover.md": page.encode()}
    if not is_check:
        (DOCS / "failover").mkdir(exist_ok=True)
        write_files(DOCS, made)
        return
    stale = [name for name, data in made.items() if not _is_same(DOCS / name, data)]
    if stale:
        sys.exit(f"stale: {', '.join(stale)}; run python benchmarks/failover_docs.py")


def _is_same(path: Path, data: bytes) -> bool:
    return path.is_file() and path.read_bytes() == data


if __name__ == "__main__":
    main()
