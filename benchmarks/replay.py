"""Cost of a replayed request beside httpx's MockTransport and vcrpy, at three sizes of an experiment.

Prints CPU microseconds a request and ratios, all measured in this process one after another:

    python benchmarks/replay.py                  # 100, 10 000 and 100 000 interactions
    python benchmarks/replay.py --sizes 100,1000 # quicker
    python benchmarks/replay.py --limit 1.5      # exit 1 if a first reading costs more than that

Requests are POSTs of a 4 KB JSON body, told apart by it, answered by 20 KB of JSON text.
MockTransport finds its answer in memory, by the body; a replay finds it on disk the first time
(`files`, `packed`), and in memory when a trial asked before (`read before`).
A body is checked against the digest in its name, but for a run, whose manifest has digested all.
Opening is compared with vcrpy's at `--opened` pages: with the digest that a run's manifest holds,
which reads every file, and without.
"""

import argparse
import asyncio
import json
import random
import shutil
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import httpx

from research_eval.cassette import Redactor, WebCassettes
from research_eval.cassette.canonical_request import canonical_request
from research_eval.cassette.file import dump_cassette
from research_eval.cassette.foreign import ForeignExchange, recorded_interaction
from research_eval.cassette.interaction import CassetteMetadata
from research_eval.cassette.key import PROFILE
from research_eval.cassette.opening import open_store
from research_eval.cassette.pack import PackStore
from research_eval.cassette.row import put_row
from research_eval.cassette.seal import sealed, unsealed
from research_eval.cassette.web import web_name
from research_eval.clock import VirtualClock
from research_eval.schema import TrialKey

URL = "https://api.example/search"
WORDS = Path(argparse.__file__).read_text(encoding="utf-8").split()
VCRPY_SIZES = (100, 1000)


POOL = [" ".join(random.Random(seed).choices(WORDS, k=500)) for seed in range(97)]


def request_body(number: int) -> dict[str, object]:
    return {"q": f"question {number}", "context": POOL[number % 97]}


def answer(number: int) -> bytes:
    rows = [{"title": f"row {n}", "text": POOL[(number + n) % 97]} for n in range(5)]
    return json.dumps({"number": number, "rows": rows}, separators=(",", ":")).encode()


def exchange(number: int) -> ForeignExchange:
    sent = json.dumps(request_body(number), separators=(",", ":")).encode()
    kind = [("content-type", "application/json")]
    return ForeignExchange("POST", URL, kind, sent, 200, "OK", kind, answer(number))


def build(place: Path, count: int) -> None:
    """Write `count` interactions, each as its own cassette, as a recording would have left them."""
    redactor = Redactor()
    store = open_store(place, redactor, has_shared_bodies=True)
    _, pattern = recorded_interaction(exchange(0), 0, redactor, "web")
    template = json.loads(
        unsealed(dump_cassette([pattern], CassetteMetadata(profile=PROFILE)).encode())
    )
    if isinstance(store, PackStore):
        with store._open(for_writing=True) as connection:  # noqa: SLF001  # faster than one by one
            for name, text, body_name, body in cassettes(template, count):
                put_row(connection, "tapes", name, text, is_once=False)
                put_row(connection, "bodies", body_name, body, is_once=True)
    else:
        for folder in ("bodies", "api.example"):
            (place / folder).mkdir(parents=True, exist_ok=True)
        for name, text, body_name, body in cassettes(template, count):
            (place / f"{name}.json").write_bytes(sealed(text))
            (place / "bodies" / body_name).write_bytes(body)
    store.close()


def cassettes(template: dict, count: int) -> Iterator[tuple[str, bytes, str, bytes]]:
    redactor = Redactor()
    interaction = template["interactions"][0]
    for number in range(count):
        one = exchange(number)
        url = ("https", "api.example", "/search")
        canonical = canonical_request(
            "POST", url, "application/json", one.request_body, redactor, "web"
        )
        name = f"{sha256(one.body).hexdigest()}.json"
        interaction["request"]["body"] = {"json": request_body(number)}
        interaction["response"]["body"] = {"file": name}
        interaction["recording"]["key"] = canonical.key
        yield (
            web_name(canonical),
            json.dumps(template, indent=1, ensure_ascii=False).encode(),
            name,
            one.body,
        )


async def send_all(transport: httpx.AsyncBaseTransport, numbers: list[int]) -> float:
    """Return CPU seconds a request, building and reading it included."""
    bodies = [request_body(number) for number in numbers]
    async with httpx.AsyncClient(transport=transport) as client:
        began = time.process_time()
        for body in bodies:
            (await client.post(URL, json=body)).content  # noqa: B018
        return (time.process_time() - began) / len(numbers)


def mock(numbers: list[int]) -> httpx.MockTransport:
    answers = {number: answer(number) for number in numbers}
    kind = {"content-type": "application/json"}

    def answer_one(request: httpx.Request) -> httpx.Response:
        number = int(json.loads(request.content)["q"].rpartition(" ")[2])
        return httpx.Response(200, headers=kind, content=answers[number])

    return httpx.MockTransport(answer_one)


def replayed(place: Path, web: WebCassettes | None = None) -> httpx.AsyncBaseTransport:
    """Return a trial's transport: of a run that has just begun, or of `web`, which has read its cassettes."""
    web = web or WebCassettes(place, mode="replay")
    return web.session(TrialKey("case", "configuration", 1), VirtualClock()).transport()


def afresh(web: WebCassettes) -> httpx.AsyncBaseTransport:
    """Return a trial's transport of a run that has digested its recordings and played none of them."""
    web._cassettes.clear()  # noqa: SLF001  # what a run has before its first trial
    return replayed(Path(), web)


def race(
    rounds: int, numbers: list[int], runners: dict[str, Callable[[], httpx.AsyncBaseTransport]]
) -> dict[str, float]:
    """Return each one's best CPU seconds a request; they take turns, so that a busy machine hits all alike."""
    found = dict.fromkeys(runners, float("inf"))
    few = [numbers[start : start + 40] for start in range(0, len(numbers), 40)]
    for turn in range(rounds):
        for label, make in runners.items():
            cost = asyncio.run(send_all(make(), few[turn % len(few)]))
            found[label] = min(found[label], cost)
    return found


def measure(count: int, folder: Path, *, with_files: bool) -> float:
    """Print what a request costs at a size; return the ratio of a first reading of files."""
    rng = random.Random(count)
    numbers = [number for _ in range(5) for number in rng.sample(range(count), 40)]
    places = {"packed": folder / f"packed-{count}.pack"}
    if with_files:
        places["files"] = folder / f"web-{count}"
    opened, held = {}, {}
    for label, place in places.items():
        if not place.exists():
            build(place, count)
        began = time.process_time()
        replayed(place)
        opened[label] = time.process_time() - began
        tracemalloc.start()
        asyncio.run(send_all(replayed(place), numbers[:20]))
        held[label] = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
    runners = {label: (lambda place=place: replayed(place)) for label, place in places.items()}
    if with_files:
        digested = WebCassettes(places["files"], mode="replay")
        digested.digest()
        runners["files, in a run"] = lambda: afresh(digested)
    for label, place in places.items():
        web = WebCassettes(place, mode="replay")
        runners[f"{label}, read before"] = lambda place=place, web=web: replayed(place, web)
    costs = race(30, numbers, {"MockTransport": lambda: mock(numbers), **runners})
    floor = costs.pop("MockTransport")
    print(f"{count} interactions: MockTransport {floor * 1e6:.0f} us a request")
    for label, cost in costs.items():
        print(f"  {label:19} {cost * 1e6:5.0f} us a request = {cost / floor:.2f} x MockTransport")
    first = costs.get("files, in a run", 0.0) / floor
    for label in places:
        print(
            f"  {label:19} open {opened[label] * 1e3:.2f} ms; peak {held[label]:.1f} MB for 20 requests"
        )
    return first


def vcrpy_file(count: int, folder: Path) -> Path:
    """Write `count` interactions as vcrpy writes them."""
    from vcr.request import Request  # noqa: PLC0415
    from vcr.serialize import serialize  # noqa: PLC0415
    from vcr.serializers import yamlserializer  # noqa: PLC0415

    path = folder / f"vcrpy-{count}.yaml"
    if path.exists():
        return path
    requests, responses = [], []
    for number in range(count):
        one = exchange(number)
        requests.append(
            Request("POST", URL, one.request_body, {"content-type": "application/json"})
        )
        response = {
            "status": {"code": 200, "message": "OK"},
            "headers": {"content-type": ["application/json"]},
        }
        responses.append({**response, "body": {"string": one.body}})
    path.write_text(serialize({"requests": requests, "responses": responses}, yamlserializer))
    return path


def measure_vcrpy(count: int, folder: Path) -> None:
    import vcr  # noqa: PLC0415

    path = vcrpy_file(count, folder)
    numbers = [round(step * (count - 1) / 9) for step in range(10)]
    recorder = vcr.VCR(record_mode="none", match_on=["method", "uri", "body"])
    began = time.process_time()
    with recorder.use_cassette(str(path)):
        opened = time.process_time() - began
        cost = asyncio.run(send_all(httpx.AsyncHTTPTransport(), numbers))
    print(
        f"  vcrpy at {count} (YAML, matching the body): {cost * 1e6:.0f} us a request; open {opened:.2f} s"
    )


def measure_opening(count: int, folder: Path) -> None:
    """Print what opening costs beside vcrpy's loading of the same."""
    import vcr  # noqa: PLC0415

    place = folder / f"web-{count}"
    if not place.exists():
        build(place, count)
    path = vcrpy_file(count, folder)
    began = time.process_time()
    replayed(place)
    opened = time.process_time() - began
    began = time.process_time()
    WebCassettes(place, mode="replay").digest()
    digested = time.process_time() - began
    began = time.process_time()
    with vcr.VCR(record_mode="none").use_cassette(str(path)):
        theirs = time.process_time() - began
    print(
        f"opening {count}: {opened * 1e3:.2f} ms; with the digest of all files {digested:.2f} s; "
        f"vcrpy's YAML {theirs:.1f} s = {theirs / (opened + digested):.0f} x as much"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="100,10000,100000")
    parser.add_argument("--folder", type=Path, help="where to build; default: a temporary folder")
    parser.add_argument("--files-up-to", type=int, default=100_000, metavar="N")
    parser.add_argument("--opened", type=int, default=10_000, metavar="N")
    parser.add_argument("--limit", type=float, help="most that a first reading may cost")
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="replay-benchmark-"))
    try:
        ratios = [
            measure(count, folder, with_files=count <= options.files_up_to)
            for count in map(int, options.sizes.split(","))
        ]
        for count in VCRPY_SIZES:
            measure_vcrpy(count, folder)
        if options.opened:
            measure_opening(options.opened, folder)
    finally:
        if options.folder is None:
            shutil.rmtree(folder)
    if options.limit and max(ratios) > options.limit:
        sys.exit(f"{max(ratios):.2f} x MockTransport is more than {options.limit:g}")


if __name__ == "__main__":
    main()
