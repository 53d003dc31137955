"""CPU, memory and size of a report of many synthetic trials.

python benchmarks/report.py                     100,000 trials that have much text in common
python benchmarks/report.py --trials 10000 --unique   each with answers and titles of its own
python benchmarks/report.py --browser           first paint of the page, and the time of a filter
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from research_eval.schema import (
    AnswerChecked,
    Citation,
    ConfigurationSummary,
    Fetched,
    ModelCalled,
    RunRecord,
    Searched,
    SearchHit,
    SourceRecord,
    ToolCall,
    ToolCalled,
    TrialRecord,
    Usage,
    Verdict,
    Violation,
)

CONFIGURATIONS = ("one", "two", "three", "four", "five")
REPEATS = 2
WORDS = tuple(
    f"{a}{b}" for a in ("har", "lan", "mor", "tol", "ves") for b in ("bour", "tern", "ing")
)


def sentence(rng: random.Random, words: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(words))


def trial(rng: random.Random, case: int, name: str, number: int, mark: str) -> TrialRecord:
    """Return one synthetic trial: a search, two pages, and one to three answers."""
    urls = [f"https://{WORDS[n % 15]}.example/{case}/{n}{mark}" for n in range(5)]
    hits = tuple(
        SearchHit(url=u, title=f"Page {n} of {case}{mark}", snippet=f"Text {n} {mark}", rank=n + 1)
        for n, u in enumerate(urls)
    )
    call = ToolCall(id="c", name="web_search", arguments='{"query": "toll"}')
    events: list[object] = [
        ModelCalled(turn=1, attempt=1, text="", tool_calls=(call,), finish_reason="tool_calls",
                    usage=Usage(requests=1, input_tokens=600, output_tokens=20)),
        Searched(query=f"toll {case}", max_results=5, served_by="brave", hits=hits),
        ToolCalled(turn=1, tool_call_id="c", tool="web_search", arguments=call.arguments, ok=True),
        *(Fetched(url=u, final_url=u, status=200, ok=True, title=f"Page {case}") for u in urls[:2]),
    ]  # fmt: skip
    attempts = 1 + rng.randrange(3)
    for attempt in range(1, attempts + 1):
        is_last = attempt == attempts
        url = urls[0] if is_last and rng.random() < 0.8 else urls[4]
        text = f"{sentence(rng, 60) if mark else f'The toll of {case} is 4.50 pounds. ' * 8}: {url}"
        at = text.index(url)
        bad = (
            ()
            if url == urls[0]
            else (Violation(kind="search_only", url=url, key=url, start=at, end=len(text)),)
        )
        cited = (Citation(url=url, start=at, end=len(text)),)
        events += [
            ModelCalled(turn=attempt + 1, attempt=attempt, text=text, finish_reason="stop",
                        usage=Usage(requests=1, input_tokens=900, output_tokens=80)),
            AnswerChecked(attempt=attempt, answer=text,
                          verdict=Verdict(gate="default@1", citations=cited, violations=bad),
                          corrective="Open what you cite." if bad and not is_last else None),
        ]  # fmt: skip
    sources = [
        SourceRecord(key=u, url=u, title=f"Page {n}", state="fetched" if n < 2 else "searched")
        for n, u in enumerate(urls)
    ]
    return TrialRecord.model_validate({
        "case_id": f"case-{case}", "configuration": name, "trial": number,
        "question": f"What is the toll of bridge {case}?", "tags": (f"tag-{case % 7}",),
        "status": "rejected" if bad else "completed", "answer": text, "sources": sources,
        "usage": Usage(requests=3, input_tokens=1800, output_tokens=200), "transcript": events,
    })  # fmt: skip


def write_run(folder: Path, trials: int, *, unique: bool) -> None:
    """Write a run folder of synthetic trials, labelled so."""
    rng = random.Random(1)
    cases = max(1, trials // (len(CONFIGURATIONS) * REPEATS))
    summaries = tuple(
        ConfigurationSummary(
            name=name, model=f"openai:{name}", is_reference_agent=False, gate="default@1",
            max_retries=2, max_turns=16, search="brave", tools=("fetch", "web_search"), settings={},
        )
        for name in CONFIGURATIONS
    )  # fmt: skip
    record = RunRecord(
        experiment="synthetic records", experiment_sha256="0" * 64, dataset="synthetic",
        dataset_sha256="0" * 64, dataset_is_synthetic=True, cassettes_sha256=None, code_version="0",
        packages={}, model_mode="replay", web_mode="replay", seed=1, trials=REPEATS,
        case_ids=tuple(f"case-{n}" for n in range(cases)), configurations=summaries,
    )  # fmt: skip
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(record.model_dump_json(), encoding="utf-8")
    with (folder / "trials.jsonl").open("w", encoding="utf-8") as file:
        for case in range(cases):
            for name in CONFIGURATIONS:
                for number in range(1, REPEATS + 1):
                    mark = f" {rng.getrandbits(64):x}" if unique else ""
                    made = trial(rng, case, name, number, mark.strip())
                    file.write(made.model_dump_json() + "\n")


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=100_000)
    parser.add_argument("--unique", action="store_true")
    parser.add_argument("--formats", default="html")
    parser.add_argument("--keep", type=Path, help="use, or make, the run in this folder")
    parser.add_argument("--browser", action="store_true")
    parser.add_argument("options", nargs="*", help="further options of `research-eval report`")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        run = options.keep or Path(scratch) / "run"
        if not run.exists():
            write_run(run, options.trials, unique=options.unique)
        out = Path(scratch) / "out"
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "research_eval", "report", run, "--format", options.formats,
             "--out", out, "--quiet", *options.options],
            check=False, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        sizes = {path.name: path.stat().st_size for path in sorted(out.iterdir())}
        print(json.dumps({
            "trials": options.trials, "unique": options.unique,
            "journal_mb": round((run / "trials.jsonl").stat().st_size / 1e6, 1),
            "cpu_s": round(spent.ru_utime + spent.ru_stime, 1),
            "wall_s": round(time.perf_counter() - began, 1),
            "peak_mb": round(spent.ru_maxrss / 1024), "bytes": sizes,
        }))  # fmt: skip
        if options.browser:
            print(json.dumps(in_browser(out / "report.html")))


def in_browser(page: Path) -> dict[str, float]:
    """Return when the page was first painted and how long a filter took, in milliseconds."""
    from playwright import sync_api  # noqa: PLC0415  # only where asked for

    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"]
        )
        tab = browser.new_page()
        tab.goto(page.as_uri())
        tab.wait_for_timeout(500)
        paint = tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        tab.evaluate("location.hash = 'trials'")
        tab.wait_for_selector("#list-count", timeout=120_000)
        took = tab.evaluate(
            """() => new Promise((done) => {
              const began = performance.now();
              new MutationObserver((_, seen) => { seen.disconnect(); done(performance.now() - began); })
                .observe(document.getElementById("view-trials"), { childList: true });
              location.hash = "trials?configuration=two&final_passed=1";
            })"""
        )
        browser.close()
    return {"first_paint_ms": round(paint), "filter_ms": round(took)}


if __name__ == "__main__":
    main()
