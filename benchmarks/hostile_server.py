"""Servers on 127.0.0.1 for every channel that a trial uses; what each sends is drawn by its case."""

import contextlib
import json
import random
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from hostile_dialects import DIALECTS, Dialect
from hostile_faults import MUTATED, Answer, Fault, Moment, model_faults
from hostile_web import PLUGGED, page, web_faults

MODEL_CHANNELS = tuple(
    f"{dialect.name}{kind}" for dialect in DIALECTS for kind in ("", "-streamed")
)
WEB_CHANNELS = ("serper", "brave", "pages", *PLUGGED)
SHARE_OF_MUTATIONS = 0.3
"""Of replies of our own with one field other; as many again of recorded ones, where there are any."""


class Draws:
    """Which class of fault each trial meets: all classes in turn, then at random."""

    def __init__(
        self,
        seed: int,
        cases: int,
        channels: tuple[str, ...],
        *,
        heavy: bool,
        recorded: Mapping[str, list[Fault]] | None = None,
    ) -> None:
        self.seed = seed
        self._recorded = recorded or {}
        self._drawn: dict[tuple[str, int], Fault] = {}
        for channel in channels:
            self._draw(channel, cases, heavy=heavy)

    def _draw(self, channel: str, cases: int, *, heavy: bool) -> None:
        rng = random.Random(f"{self.seed}/{channel}")
        is_model = channel in MODEL_CHANNELS
        every = model_faults(channel) if is_model else web_faults(channel)
        light = [one for one in every if not one.is_rare]
        once = [one for one in every if heavy or not one.is_rare]
        rng.shuffle(once)
        recorded = self._recorded.get(channel)
        for number in range(cases):
            if number < len(once):
                drawn = once[number]
            elif is_model and rng.random() < SHARE_OF_MUTATIONS:
                drawn = rng.choice(MUTATED)
            elif recorded and rng.random() < SHARE_OF_MUTATIONS / (1 - SHARE_OF_MUTATIONS):
                drawn = rng.choice(recorded)
            else:
                drawn = rng.choice(light)
            self._drawn[channel, number] = drawn

    def fault(self, channel: str, number: int) -> Fault:
        """Return what a trial meets."""
        return self._drawn[channel, number]


class HostileServer(ThreadingHTTPServer):
    """All channels behind one port, told apart by the first part of the path."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, draws: Draws) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.draws = draws
        self.asked: Counter[tuple[str, int, str]] = Counter()
        self.lock = threading.Lock()

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that gave up."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def may_fail(self, fault: Fault, channel: str, number: int, stage: str) -> bool:
        """Say whether a request gets the fault, and count it."""
        with self.lock:
            self.asked[channel, number, stage] += 1
            return fault.always or self.asked[channel, number, stage] == 1


def truth(number: int) -> str:
    """Return the sentence that stands on a steady page alone."""
    return f"The port of case-{number} opened in 1907, as its register says."


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: HostileServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        text = body.decode("utf-8", "replace")
        channel = self.path.split("/")[1]
        number = int(re.findall(r"case-(\d+)", text)[0])
        if self.path.endswith("/search"):
            self._put(self._web(channel, number))
        else:
            self._put(self._model(channel, number, text))

    def do_GET(self) -> None:
        channel = self.path.split("/")[1]
        number = int(re.findall(r"case-(\d+)", self.path)[0])
        if channel == "steady":
            kind = (("content-type", "text/html"),)
            self._put(Answer(headers=kind, body=page(truth(number))))
        else:
            self._put(self._web(channel, number))

    def _web(self, channel: str, number: int) -> Answer:
        fault = self.server.draws.fault(channel, number)
        dialect = DIALECTS[0]._replace(name=channel)
        return fault.answer(self._moment(dialect, channel, number, is_stream=False))

    def _moment(self, dialect: Dialect, channel: str, number: int, *, is_stream: bool) -> Moment:
        rng = random.Random(f"{self.server.draws.seed}/{channel}/{number}")
        url = f"{self.server.url}/steady/case-{number}"
        return Moment(dialect, is_stream, f"{truth(number)} [register]({url})", url, rng)

    def _model(self, channel: str, number: int, text: str) -> Answer:
        name, _, streamed = channel.partition("-")
        is_own = channel in MODEL_CHANNELS
        dialect = next((one for one in DIALECTS if is_own and one.name == name), DIALECTS[0])
        moment = self._moment(dialect, channel, number, is_stream=is_own and bool(streamed))
        stage = "answer" if truth(number) in text else "call"
        if is_own:
            fault = self.server.draws.fault(channel, number)
            if fault.name == "a call for ever":
                stage = "answer"
            if fault.at == stage and self.server.may_fail(fault, channel, number, stage):
                return fault.answer(moment)
        if stage == "answer":
            return moment.sent(moment.honest)
        return moment.sent(self._first_step(channel, number, text, moment))

    def _first_step(self, channel: str, number: int, text: str, moment: Moment) -> object:
        is_first = '"role":"tool"' not in text.replace(" ", "")
        if is_first and channel in {"serper", "brave", "search"}:
            return moment.dialect.calls("web_search", {"query": f"port case-{number}"})
        if is_first and channel in {"pages", "extractor"}:
            return moment.dialect.calls(
                "fetch", {"url": f"{self.server.url}/{channel}/pages/case-{number}"}
            )
        return moment.call

    def _put(self, answer: Answer) -> None:
        with contextlib.suppress(OSError):
            self._write(answer)

    def _write(self, answer: Answer) -> None:
        if answer.ending == "raw":
            self.connection.sendall(answer.body)  # type: ignore[arg-type]
            self._hang_up()
            return
        is_chunked = isinstance(answer.body, tuple)
        length = 0 if is_chunked else len(answer.body)
        head = [f"HTTP/1.1 {answer.status} Port"]
        head += [f"{name}: {value}" for name, value in answer.headers]
        if answer.status != 204:
            announced = length + 100 if answer.ending == "short" else length
            head.append(
                "transfer-encoding: chunked" if is_chunked else f"content-length: {announced}"
            )
        self.connection.sendall("\r\n".join([*head, "", ""]).encode("utf-8", "surrogatepass"))
        if isinstance(answer.body, tuple):
            self._write_chunks(answer)
        elif answer.status != 204:
            self.connection.sendall(answer.body)
        if answer.ending != "whole":
            self._hang_up()

    def _write_chunks(self, answer: Answer) -> None:
        for piece in answer.body:
            assert isinstance(piece, bytes)
            time.sleep(answer.pause_s)
            if piece:
                self.connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
        if answer.ending == "broken":
            self.connection.sendall(b"zz\r\nport")
        elif answer.ending == "whole":
            self.connection.sendall(b"0\r\n\r\n")

    def _hang_up(self) -> None:
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def serving(draws: Draws) -> Iterator[HostileServer]:
    """Serve while the block runs."""
    server = HostileServer(draws)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def cases(number: int) -> str:
    """Return the dataset."""
    rows = (
        {"id": f"case-{n}", "question": f"When did the port of case-{n} open?"}
        for n in range(number)
    )
    return "".join(json.dumps(row) + "\n" for row in rows)
