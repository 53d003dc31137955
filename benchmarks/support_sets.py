"""Labelled claims from the files of published sets, and from the project's own, in one form."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

OWN = Path(__file__).parent.parent / "datasets" / "support"
EXPERT_LABELS = {"Complete": True, "Partial": False, "Incomplete": False, "Missing": False}
MARKER = re.compile(r"\s*\[\d+\]")


class Labelled(NamedTuple):
    """One claim, the text of what it cites, and what people said."""

    id: str
    claim: str
    page: str
    is_supported: bool
    note: str = ""


def read_lines(path: Path) -> Iterator[dict[str, object]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def wice(path: Path) -> Iterator[Labelled]:
    """Claims of Wikipedia sentences against whole cited pages; partial support counts as none."""
    for row in read_lines(path):
        page = "\n".join(row["evidence"])
        yield Labelled(row["meta"]["id"], row["claim"], page, row["label"] == "supported")


def expertqa(path: Path) -> Iterator[Labelled]:
    """Claims of answers to experts against the passages that they cite; markers are stripped."""
    for number, row in enumerate(read_lines(path)):
        for system, answer in row["answers"].items():
            for place, claim in enumerate(answer["claims"]):
                label = EXPERT_LABELS.get(claim["support"])
                if label is None or not claim["evidence"]:
                    continue
                yield Labelled(
                    id=f"{number}-{system}-{place}",
                    claim=MARKER.sub("", claim["claim_string"]),
                    page="\n".join(claim["evidence"]),
                    is_supported=label,
                )


def worthiness(path: Path) -> Iterator[tuple[int, str, bool]]:
    """The place of the question, the claim without markers, and whether it is worth a source.

    Of every claim, those without a citation included.
    """
    for number, row in enumerate(read_lines(path)):
        for answer in row["answers"].values():
            for claim in answer["claims"]:
                yield number, MARKER.sub("", claim["claim_string"]), claim["worthiness"] == "Yes"


def own(folder: Path = OWN) -> Iterator[Labelled]:
    """The project's own claims, written with their pages for this purpose."""
    pages = {str(row["id"]): str(row["text"]) for row in read_lines(folder / "pages.jsonl")}
    for row in read_lines(folder / "claims.jsonl"):
        yield Labelled(
            str(row["id"]),
            str(row["claim"]),
            pages[str(row["page"])],
            row["label"] == "supported",
            note=str(row["about"]),
        )


def found_in(folder: Path) -> dict[str, list[Labelled]]:
    """Return every published set that stands in a folder, by its name."""
    readers = {
        "wice_dev.jsonl": ("WiCE dev", wice),
        "wice_test.jsonl": ("WiCE test", wice),
        "expertqa_a.jsonl": ("ExpertQA a", expertqa),
    }
    return {
        name: list(read(folder / file))
        for file, (name, read) in readers.items()
        if (folder / file).is_file()
    }
