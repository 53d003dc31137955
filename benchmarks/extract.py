"""Judge extraction on labelled documents: `python benchmarks/extract.py [INDEX...]`.

An index is JSON Lines as in `datasets/fetch/index.jsonl`. Prints every label that is not met and
ends with status 1 if there is one.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from research_eval.tool.fetch import ExtractedPage, extract

OWN = Path(__file__).parents[1] / "datasets" / "fetch" / "index.jsonl"


def read(index: Path, line: dict[str, Any]) -> ExtractedPage:
    """Extract the document of one line."""
    return extract(
        (index.parent / line["file"]).read_bytes(),
        url=line["url"],
        content_type=line["content_type"],
        status=line["status"],
        headers=line["headers"],
    )


def faults(page: ExtractedPage, line: dict[str, Any]) -> list[str]:
    """Return the labels of `line` that `page` does not meet."""
    found = [f"lacks {text!r}" for text in line["must_contain"] if text not in page.content]
    found += [f"holds {text!r}" for text in line["must_not_contain"] if text in page.content]
    found += [f"does not match {p!r}" for p in line["must_match"] if not re.search(p, page.content)]
    found += [f"matches {p!r}" for p in line["must_not_match"] if re.search(p, page.content)]
    if line["title"] is not None and _flat(page.title) != _flat(line["title"]):
        found.append(f"title {page.title!r}, not {line['title']!r}")
    if line["encoding"] is not None and page.encoding != line["encoding"]:
        found.append(f"encoding {page.encoding!r}, not {line['encoding']!r}")
    flags = set(page.flags)
    found += [f"flag {flag!r} is missing" for flag in line["flags"] if flag not in flags]
    found += [f"flag {flag!r} is wrong" for flag in line["flags_forbidden"] if flag in flags]
    if line["any_of"] and not flags & set(line["any_of"]):
        found.append(f"none of the flags {line['any_of']}")
    if "citable" in line and page.citable != line["citable"]:
        found.append(f"citable is {page.citable}")
    return found


def _flat(text: str | None) -> str:
    return " ".join((text or "").split())


def main(paths: list[str]) -> int:
    """Judge all documents of all indexes."""
    wrong = total = 0
    for index in [Path(path) for path in paths] or [OWN]:
        for text in index.read_text(encoding="utf-8").splitlines():
            line = json.loads(text)
            total += 1
            found = faults(read(index, line), line)
            wrong += bool(found)
            for fault in found:
                print(f"{line['id']}: {fault}")
    print(f"{total - wrong} of {total} documents right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
