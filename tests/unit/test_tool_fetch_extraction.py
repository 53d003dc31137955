"""Every labelled document is read right, in this process and in the worker alike."""

import json
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from research_eval.errors import ConfigError
from research_eval.tool.fetch import extract, extraction
from research_eval.tool.fetch.page import ExtractedPage
from research_eval.tool.fetch.reader import read_here
from research_eval.tool.fetch.worker import Worker, WorkerError

ROOT = Path(__file__).parents[2]
INDEXES = (ROOT / "datasets/fetch/index.jsonl", ROOT / "tests/data/fetch/index.jsonl")
LINES = [
    (index, json.loads(line))
    for index in INDEXES
    for line in index.read_text(encoding="utf-8").splitlines()
]
IDS = [f"{index.parent.parent.name}-{line['id']}" for index, line in LINES]


def _load(path: Path):
    spec = spec_from_file_location("judge", path)
    assert spec is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


judge = _load(ROOT / "benchmarks/extract.py")


@pytest.fixture(scope="module")
def worker():
    made = Worker()
    yield made
    made.close()


def test_the_labelled_set_is_large_enough():
    assert len(LINES) >= 95


@pytest.mark.parametrize(("index", "line"), LINES, ids=IDS)
def test_a_labelled_document_is_read_right(index, line):
    assert judge.faults(judge.read(index, line), line) == []


@pytest.mark.parametrize(("index", "line"), LINES[::3], ids=IDS[::3])
def test_the_worker_reads_the_same(index, line, worker):
    body = (index.parent / line["file"]).read_bytes()
    question = {"url": line["url"], "content_type": line["content_type"], "headers": {}}
    answer = ExtractedPage.model_validate_json(worker.ask(question, body))

    assert answer == read_here(body, **question)


def test_a_document_that_needs_too_much_time_ends_the_worker_and_nothing_else():
    worker = Worker(cpu_s=0)
    question = {"url": "https://a.example/", "content_type": "application/pdf", "headers": {}}
    forms = b"/X Do /X Do "
    form = (
        b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 4 0 R >> >> /Length 12 >>\nstream\n"
        + forms
        + b"\nendstream"
    )
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources << /XObject << /X 4 0 R >> >> /Contents 5 0 R >>",
        form,
        b"<< /Length 12 >>\nstream\n" + forms + b"\nendstream",
    ]
    body = (
        b"%PDF-1.4\n"
        + b"".join(b"%d 0 obj\n%s\nendobj\n" % (n, o) for n, o in enumerate(objects, 1))
        + b"trailer << /Root 1 0 R >>\n"
    )

    with pytest.raises(WorkerError):
        worker.ask(question, body)
    worker.cpu_s = 60  # of the second that it had, a slow start may leave nothing
    again = worker.ask({**question, "content_type": "text/html"}, b"<p>still here")
    worker.close()

    assert ExtractedPage.model_validate_json(again).content == "still here"


def test_large_html_goes_to_the_worker_and_comes_back_whole(monkeypatch):
    asked = []
    real = Worker.ask
    monkeypatch.setattr(Worker, "ask", lambda self, *a: asked.append(1) or real(self, *a))
    body = b"<main><h1>Large</h1>" + b"<p>A paragraph on ropes.</p>" * 15_000
    page = extract(body, url="https://large.example/", content_type="text/html")

    assert asked == [1]
    assert page.truncated
    assert len(page.content) == 200_000
    assert page.content.startswith("# Large\n\nA paragraph on ropes.\n\n")


def test_a_page_is_read_once_in_a_process(monkeypatch):
    calls = []
    monkeypatch.setattr(
        extraction, "read_here", lambda *a, **k: calls.append(1) or read_here(*a, **k)
    )
    pages = [
        extract(b"<p>once only", url="https://once.example/", content_type="text/html")
        for _ in range(3)
    ]

    assert calls == [1]
    assert pages[0] is pages[2]


def test_the_status_decides_whatever_is_remembered():
    arguments = {"url": "https://status.example/", "content_type": "text/html"}
    good = extract(b"<p>text of a page", **arguments)
    bad = extract(b"<p>text of a page", status=404, **arguments)

    assert (good.citable, good.error) == (True, None)
    assert (bad.citable, bad.error) == (False, "http_404")


def test_a_header_that_tells_a_robot_check_counts():
    arguments = {"url": "https://header.example/", "content_type": "text/html"}
    text = b"<p>" + b"Plenty of words about ropes. " * 100

    assert extract(text, headers={"CF-Mitigated": "challenge"}, **arguments).flags == ("bot_wall",)
    assert extract(text, **arguments).flags == ()


def test_the_labelled_set_is_what_its_script_writes(tmp_path):
    subprocess.run(
        [sys.executable, str(ROOT / "benchmarks/fetch_set"), str(tmp_path)],
        check=True,
        capture_output=True,
    )
    made = {
        path.relative_to(tmp_path): path.read_bytes()
        for path in tmp_path.rglob("*")
        if path.is_file()
    }
    kept = {path: (ROOT / "datasets/fetch" / path).read_bytes() for path in made}

    assert made == kept


def test_who_finds_the_main_content_can_be_exchanged():
    trap = b"<p class=x>trap</p><p hidden>trap</p><template><p>trap</p></template><p>s\xe2\x80\x8bo</p>"
    body = b"<title>T</title><style>.x{display:none}</style><main><p>Words to read.</p>" + trap
    arguments = {"url": "https://exchange.example/", "content_type": "text/html"}
    own = extract(body, extractor="research_eval.tool.fetch.html:extract_html", **arguments)
    other = extract(body, extractor="trafilatura", **arguments)

    assert own == extract(body, **arguments)
    assert (other.title, other.encoding) == ("T", "utf-8")
    assert "Words to read." in other.content
    assert "trap" not in other.content


def test_an_extractor_that_does_not_exist_is_the_users_to_fix():
    with pytest.raises(ConfigError, match="nobody"):
        extract(b"<p>x", url="https://a.example/", content_type="text/html", extractor="nobody")


def test_a_table_that_is_longer_than_what_is_kept_is_cut_not_lost():
    body = b"<table>" + b"<tr><td>ropes and sails</td><td>kilns and glass</td></tr>" * 12_000
    page = extract(body, url="https://table.example/", content_type="text/html")

    assert page.truncated
    assert len(page.content) == 200_000


def test_real_pages_are_judged_by_whole_texts_and_by_beginnings(tmp_path):
    text = " ".join(f"The warden counted rope number {n} in the shed." for n in range(40))
    page = f"<html><body><article><p>{text}</p></article></body></html>"
    for name, wanted in (("whole", text), ("part_1", text.partition(" shed. ")[0])):
        (tmp_path / f"{name}.html").write_text(page, encoding="utf-8")
        (tmp_path / f"{name}.txt").write_text(wanted, encoding="utf-8")
    (tmp_path / "alone.html").write_text(page, encoding="utf-8")

    done = subprocess.run(
        [sys.executable, "benchmarks/extract_real.py", str(tmp_path), "--prefix", "part_*"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    ours = next(line for line in done.stdout.splitlines() if line.startswith("research_eval"))
    assert ours.split()[1:] == ["2", "1.000", "1", "1.000", "1.000", "1.000"]
    assert "part_1 (beginning)" in done.stdout
