"""Write docs/architecture.md from the import contract and the packages' first lines, or check it.

python docs/architecture.py            write it
python docs/architecture.py --check    exit 1 if it differs
"""

import ast
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "architecture.md"

HEAD = """# Architecture

Made by `python docs/architecture.py` from the import contract in pyproject.toml and the first line of each package.

## What each package does

{packages}

## Which way imports point

A row may import the rows below it, and nothing else; `|` means: not each other.
CI proves it, together with these contracts: {contracts}.

```
{layers}
```

## How a trial goes

```
dataset, experiment -> runner -> agent <-> model, tool -> cassette -> (network)
                         |         \\-> ledger -> gate
                         v
                   trial record -> scorer, stats -> report
```

The runner plans the trials, builds the parts of each from its settings (`runner/build.py` is the only place that constructs), runs them side by side and appends each finished record to the journal.
Nothing inside an agent, a tool or a model reaches for the network, the clock or chance: transports, clocks and seeded generators are handed in.
"""


def main() -> int:
    """Write or check."""
    text = render()
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.is_file() and TARGET.read_text(encoding="utf-8") == text:
        return 0
    print(f"differs: {TARGET.relative_to(ROOT)}; run python docs/architecture.py")
    return 1


def render() -> str:
    """Return the page."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = config["tool"]["importlinter"]["contracts"]
    layers = next(contract for contract in contracts if contract["type"] == "layers")["layers"]
    names = [contract["name"] for contract in contracts[1:]]
    return HEAD.format(
        packages="\n".join(f"- {line}" for line in first_lines()),
        contracts="; ".join(name[0].lower() + name[1:] for name in names),
        layers="\n".join(layers),
    )


def first_lines() -> list[str]:
    """Return the first docstring line of each package and top module."""
    places = sorted((ROOT / "research_eval").glob("*/__init__.py"))
    lines = []
    for place in places:
        doc = ast.get_docstring(ast.parse(place.read_text(encoding="utf-8"))) or ""
        _, _, does = doc.splitlines()[0].partition(": ")
        lines.append(f"`{place.parent.name}`: {does}")
    return lines


if __name__ == "__main__":
    sys.exit(main())
