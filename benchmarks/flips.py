"""Flip single bits of recordings, and count what each flip comes to: named, without effect, or unnoticed.

    python benchmarks/flips.py                     # 1,000 flips over a folder and a packed file
    python benchmarks/flips.py --flips 200 --seed 7

Recordings of a web and of model exchanges are made, with bodies inside and beside their files.
After each flip all is read as a replay reads it: by name, each answer in its pieces, each request.
`named`: a reading failed with an error that names the place. `no effect`: all was as before.
Anything else is unnoticed, and the command exits 1.
"""

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from research_eval.cassette.body import body_bytes
from research_eval.cassette.foreign import ForeignExchange, keep_as_trial, keep_as_web
from research_eval.cassette.opening import open_store
from research_eval.cassette.redact import Redactor
from research_eval.cassette.store import Store
from research_eval.errors import CassetteCorruptError

PAGE = "<p>A paragraph of a page, of several words. </p>\n"


def page(number: int) -> ForeignExchange:
    size = (3, 20, 90)[number % 3]
    body = f"<h1>Page {number}</h1>\n{PAGE * size}".encode()
    kind = [("content-type", "text/html")]
    return ForeignExchange("GET", f"https://a.example/{number}", [], b"", 200, "OK", kind, body)


def talk(number: int) -> list[ForeignExchange]:
    """Return a conversation, which is sent again with every turn."""
    kind = [("content-type", "application/json")]
    said = [{"role": "user", "content": f"question {number} " * 30}]
    turns = []
    for turn in range(3):
        sent = json.dumps({"messages": said, "model": "m"}).encode()
        answer = json.dumps({"number": 41 + number, "turn": turn, "text": PAGE}).encode()
        turns.append(
            ForeignExchange("POST", "https://m.example/chat", kind, sent, 200, "OK", kind, answer)
        )
        said = [*said, {"role": "assistant", "content": f"{PAGE * 5}{turn}"}]
    return turns


def build(folder: Path, form: str) -> dict[str, Path]:
    """Record a web and some trials; return the files by name."""
    suffix = ".pack" if form == "pack" else ""
    web, models = folder / f"web{suffix}", folder / f"mine{suffix}"
    store = open_store(web, has_shared_bodies=True)
    keep_as_web([page(number) for number in range(40)], store, Redactor())
    store.close()
    store = open_store(models)
    for number in range(12):
        keep_as_trial(talk(number), store, Redactor(), "case", number + 1)
    store.close()
    return {"web": web, "mine": models}


def reading(store: Store, names: list[str]) -> Iterator[object]:
    """Yield all that a replay, or a message about a miss, reads."""
    for name in names:
        cassette = store.read(name)
        if cassette is None:
            yield None
            continue
        for interaction in cassette.interactions:
            yield (
                interaction.task_id,
                interaction.key,
                interaction.ordinal,
                interaction.status,
                interaction.headers,
                interaction.end,
                interaction.latency_s,
                interaction.pieces(),
            )
        for record in cassette.records():
            yield record.model_dump(exclude={"recording": {"recorded_at"}})
            yield body_bytes(record.request.body, store.body)


def read_all(place: Path, names: list[str]) -> list[object]:
    store = open_store(place, has_shared_bodies=place.name.startswith("web"))
    try:
        return list(reading(store, names))
    finally:
        store.close()


def flip_one(rng: random.Random, files: list[Path]) -> tuple[Path, int, bytes]:
    """Flip one bit, of all bits the same chance; return the file, the bit, and what it held."""
    file = rng.choices(files, [path.stat().st_size for path in files])[0]
    content = file.read_bytes()
    bit = rng.randrange(8 * len(content))
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    file.write_bytes(changed)
    return file, bit, content


def outcomes(folder: Path, form: str, flips: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Return how many flips came to what, and the unnoticed ones."""
    places = build(folder, form)
    stores = {label: open_store(place) for label, place in places.items()}
    names = {label: list(store.names()) for label, store in stores.items()}
    for store in stores.values():
        store.close()
    before = {label: read_all(place, names[label]) for label, place in places.items()}
    rng, counts, unnoticed = random.Random(seed), Counter[str](), []
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    for _ in range(flips):
        file, bit, content = flip_one(rng, files)
        label = file.relative_to(folder).parts[0].removesuffix(".pack")
        try:
            word = (
                "no effect"
                if read_all(places[label], names[label]) == before[label]
                else "unnoticed"
            )
        except CassetteCorruptError as exc:
            word = "named" if str(places[label]) in str(exc) else "unnoticed"
        if word == "unnoticed":
            unnoticed.append(f"{file}: bit {bit}")
        counts[word] += 1
        file.write_bytes(content)
    return counts, unnoticed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flips", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=20261202)
    options = parser.parse_args()
    bad: list[str] = []
    for form in ("folder", "pack"):
        with tempfile.TemporaryDirectory() as folder:
            counts, unnoticed = outcomes(Path(folder), form, options.flips // 2, options.seed)
            print(f"{form}: {', '.join(f'{word} {n}' for word, n in sorted(counts.items()))}")
            bad += unnoticed
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
