"""Print how every recorded answer of a search API in a folder is read, or refused and why.

The folder holds one folder for each provider, with vcrpy cassettes, plain bodies (`.json`) and error
bodies that people reported (`errors_quoted.json`). Run:
python benchmarks/wire_search.py FOLDER
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from research_eval.tool.search import WIRES, SearchError, WireAnswer, read_answer


class Found(NamedTuple):
    """One answer of the folder."""

    where: str
    provider: str
    answer: WireAnswer
    asked_for: str


def answers(folder: Path) -> Iterator[Found]:
    """Yield every answer under `folder`, in the order of names."""
    for path in sorted(folder.rglob("*")):
        provider = path.parent.name
        if path.suffix not in {".json", ".yaml", ".yml"} or provider not in WIRES:
            continue
        name = f"{provider}/{path.name}"
        if path.name == "errors_quoted.json":
            yield from _quoted(path, name, provider)
        elif path.suffix == ".json":
            yield Found(name, provider, WireAnswer(200, {}, path.read_bytes()), "")
        else:
            yield from _recorded(path, name, provider)


def _quoted(path: Path, name: str, provider: str) -> Iterator[Found]:
    for case in json.loads(path.read_text(encoding="utf-8"))["cases"]:
        if "body" in case:
            headers = {key.lower(): value for key, value in case.get("headers", {}).items()}
            body = json.dumps(case["body"]).encode()
            yield Found(
                name, provider, WireAnswer(case["status"], headers, body), case.get("when", "")
            )


def _recorded(path: Path, name: str, provider: str) -> Iterator[Found]:
    cassette = yaml.safe_load(path.read_text(encoding="utf-8"))
    for interaction in cassette.get("interactions", []):
        uri = str(interaction["request"]["uri"])
        if _host(uri) != _host(WIRES[provider].details.endpoint):
            continue
        response = interaction["response"]
        headers = {
            k.lower(): str(v[0] if isinstance(v, list) else v)
            for k, v in response.get("headers", {}).items()
        }
        status = response["status"]
        code = status["code"] if isinstance(status, dict) else status
        yield Found(name, provider, WireAnswer(code, headers, _body(response)), uri)


def _host(uri: str) -> str:
    return uri.partition("//")[2].partition("/")[0]


def _body(response: dict[str, Any]) -> bytes:
    if "parsed_body" in response:
        return json.dumps(response["parsed_body"]).encode()
    body = response.get("body") or ""
    text = body.get("string", "") if isinstance(body, dict) else body
    return text if isinstance(text, bytes) else str(text).encode()


def outcome(found: Found) -> str:
    """Return what becomes of one answer, in words."""
    try:
        hits = read_answer(WIRES[found.provider], found.answer)
    except SearchError as exc:
        wait = "" if exc.retry_after_s is None else f", wait {exc.retry_after_s:g} s"
        return f"refused: {exc.kind}{wait}"
    dated = sum(1 for hit in hits if hit.date)
    bare = sum(1 for hit in hits if not hit.snippet)
    markup = sum(1 for hit in hits if "<strong>" in hit.snippet or "&quot;" in hit.snippet)
    return f"read: {len(hits)} hits, {dated} dated, {bare} without snippet, {markup} with markup"


def main(folder: Path) -> None:
    """Print the table and a count of outcomes."""
    rows = [
        (found.where[:76], str(found.answer.status), outcome(found)) for found in answers(folder)
    ]
    if not rows:
        sys.exit(f"no answers of {', '.join(WIRES)} under {folder}")
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        )
    read = sum(1 for row in rows if row[2].startswith("read"))
    print(f"\n{len(rows)} answers: {read} read, {len(rows) - read} refused")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python benchmarks/wire_search.py FOLDER")
    main(Path(sys.argv[1]))
