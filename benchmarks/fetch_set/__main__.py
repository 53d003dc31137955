"""Write the labelled set of documents: `python benchmarks/fetch_set [FOLDER]`.

Every file is made by this script from words of its own; running it again gives the same bytes.
"""

import json
import sys
from itertools import chain
from pathlib import Path

import articles
import documents
import encodings_set
import hiding
import misleading
import walls
from entry import Entry

FOLDER = Path(__file__).parents[2] / "datasets" / "fetch"


def all_entries() -> list[Entry]:
    """Return every labelled document."""
    return list(
        chain(
            articles.entries(),
            misleading.entries(),
            hiding.entries(),
            walls.entries(),
            encodings_set.entries(),
            documents.entries(),
        )
    )


def write(folder: Path) -> int:
    """Write index and files; return how many."""
    entries = all_entries()
    (folder / "files").mkdir(parents=True, exist_ok=True)
    lines = []
    for entry in entries:
        (folder / "files" / entry.file).write_bytes(entry.body)
        line = entry.line()
        line["file"] = f"files/{entry.file}"
        lines.append(json.dumps(line, ensure_ascii=False))
    (folder / "index.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(entries)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    print(f"{write(target)} documents in {target.name}")
