"""Cost of a replayed request beside httpx's MockTransport and vcrpy, at three sizes of an experiment.

Prints CPU microseconds a request and ratios, all measured in this process one after another:

    python benchmarks/replay.py                  # 100, 10 000 and 100 000 interactions
    python benchmarks/replay.py --sizes 100,1000 # quicker

Requests are POSTs of a 4 KB JSON body, told apart by it, answered by 20 KB of JSON text.
"""

import argparse
import asyncio
import json
import random
import shutil
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import httpx

from research_eval.cassette import Redactor, WebCassette
from research_eval.cassette.foreign import ForeignExchange, taped
from research_eval.cassette.interaction import TapeMetadata
from research_eval.cassette.key import PROFILE
from research_eval.cassette.opening import open_store
from research_eval.cassette.pack import PackStore
from research_eval.cassette.web import web_name
from research_eval.clock import VirtualClock
from research_eval.schema import TrialKey

URL = "https://api.example/search"
WORDS = Path(argparse.__file__).read_text(encoding="utf-8").split()
VCRPY_SIZES = (100, 1000)


def request_body(number: int) -> dict[str, object]:
    rng = random.Random(number)
    return {"q": f"question {number}", "context": " ".join(rng.choices(WORDS, k=500))}


def answer(number: int) -> bytes:
    rng = random.Random(f"answer {number}")
    rows = [{"title": f"row {n}", "text": " ".join(rng.choices(WORDS, k=200))} for n in range(15)]
    return json.dumps({"number": number, "rows": rows}, separators=(",", ":")).encode()


def exchange(number: int) -> ForeignExchange:
    sent = json.dumps(request_body(number), separators=(",", ":")).encode()
    kind = [("content-type", "application/json")]
    return ForeignExchange("POST", URL, kind, sent, 200, "OK", kind, answer(number))


def build(place: Path, count: int) -> None:
    """Write `count` interactions, each as its own tape."""
    redactor = Redactor()
    store = open_store(place, redactor, has_shared_bodies=True)

    def tapes():
        for number in range(count):
            asked, interaction = taped(exchange(number), 0, redactor, "web")
            yield web_name(asked), [interaction], TapeMetadata(profile=PROFILE)

    if isinstance(store, PackStore):
        store.write_many(tapes())
    else:
        for name, records, metadata in tapes():
            store.write(name, records, metadata)
    store.close()


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


def replayed(place: Path) -> httpx.AsyncBaseTransport:
    web = WebCassette(place, mode="replay")
    return web.session(TrialKey("case", "configuration", 1), VirtualClock()).transport()


def best(run: Callable[[], float], rounds: int = 5) -> float:
    return min(run() for _ in range(rounds))


def measure(count: int, folder: Path, pack_only_from: int) -> None:
    rng = random.Random(count)
    numbers = [rng.randrange(count) for _ in range(200)]
    floor = best(lambda: asyncio.run(send_all(mock(numbers), numbers)))
    print(f"{count} interactions: MockTransport {floor * 1e6:.0f} us a request")
    forms = [("packed", folder / f"web-{count}.pack")]
    if count < pack_only_from:
        forms.append(("files", folder / f"web-{count}"))
    for label, place in forms:
        began = time.process_time()
        build(place, count)
        built = (time.process_time() - began) / count
        began = time.process_time()
        replayed(place)
        opened = time.process_time() - began
        cold = asyncio.run(send_all(replayed(place), numbers))
        cost = best(lambda place=place: asyncio.run(send_all(replayed(place), numbers)))
        tracemalloc.start()
        asyncio.run(send_all(replayed(place), numbers[:20]))
        held = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        print(
            f"  {label:7} {cost * 1e6:6.0f} us ({cost / floor:.2f} x MockTransport), first pass {cold * 1e6:.0f} us; "
            f"open {opened * 1e3:.2f} ms; write {built * 1e6:.0f} us each; peak {held:.1f} MB for 20 requests"
        )


def measure_vcrpy(count: int, folder: Path) -> None:
    import vcr
    from vcr.request import Request
    from vcr.serialize import serialize
    from vcr.serializers import yamlserializer

    path = folder / f"vcrpy-{count}.yaml"
    requests, responses = [], []
    for number in range(count):
        one = exchange(number)
        requests.append(Request("POST", URL, one.request_body, {"content-type": "application/json"}))
        response = {"status": {"code": 200, "message": "OK"}, "headers": {"content-type": ["application/json"]}}
        responses.append({**response, "body": {"string": one.body}})
    path.write_text(serialize({"requests": requests, "responses": responses}, yamlserializer))
    numbers = [round(step * (count - 1) / 9) for step in range(10)]
    recorder = vcr.VCR(record_mode="none", match_on=["method", "uri", "body"])
    began = time.process_time()
    with recorder.use_cassette(str(path)):
        opened = time.process_time() - began
        cost = asyncio.run(send_all(httpx.AsyncHTTPTransport(), numbers))
    print(f"  vcrpy at {count} (YAML, matching the body): {cost * 1e6:.0f} us a request; open {opened:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="100,10000,100000")
    parser.add_argument("--folder", type=Path, help="where to build; default: a temporary folder")
    parser.add_argument("--pack-only-from", type=int, default=20_000, metavar="N")
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="replay-benchmark-"))
    try:
        for count in map(int, options.sizes.split(",")):
            measure(count, folder, options.pack_only_from)
        for count in VCRPY_SIZES:
            measure_vcrpy(count, folder)
    finally:
        if options.folder is None:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
