"""One verb brings a run up to its experiment: what is done stays, what is new is added, what changed is refused."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from research_eval.cli.main import main

EXPERIMENT = """
name = "mine"
dataset = "cases.jsonl"
cassettes = "cassettes"
record_from = "world"
trials = {trials}
[defaults]
search.chain = ["serper"]
agent.max_retries = 0
"""
CASES = [{"id": f"toll-{n}", "question": f"What is the toll of bridge {n}?"} for n in (1, 2, 3)]
HONEST, SILENT = ("honest", "reference:honest"), ("silent", "reference:no-citer")


def write(cases=CASES, configurations=(HONEST, SILENT), trials=1):
    columns = "".join(
        f'[[configuration]]\nname = "{n}"\nmodel = "{m}"\n' for n, m in configurations
    )
    Path("mine.toml").write_text(EXPERIMENT.format(trials=trials) + columns, "utf-8")
    Path("cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases), "utf-8")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    return tmp_path_factory.mktemp("recorded") / "cassettes"


@pytest.fixture
def call(tmp_path, monkeypatch, capsys, recorded):
    monkeypatch.chdir(tmp_path)

    def run(*words, code=0):
        monkeypatch.setattr(sys, "argv", ["research-eval", *words])
        with pytest.raises(SystemExit) as caught:
            main()
        said = capsys.readouterr().err
        assert int(caught.value.code or 0) == code, said
        return said

    if recorded.exists():
        shutil.copytree(recorded, "cassettes")
    else:
        write(trials=2)
        run("record", "mine.toml", "--no-report", "--out", "recording")
        shutil.copytree("cassettes", recorded)
    return run


RUN = ("run", "mine.toml", "--no-report")


def journal(folder="reports/mine"):
    return Path(folder, "trials.jsonl").read_bytes()


GROWTH = [
    ({"cases": CASES[:1]}, {}, "adds 2 cases: toll-2, toll-3"),
    ({"cases": CASES[1:2]}, {}, "adds 2 cases: toll-1, toll-3"),
    ({"configurations": [SILENT]}, {}, "adds 1 configurations: honest"),
    ({}, {"trials": 2}, "trials of each case: 1 -> 2"),
    ({"cases": CASES[:2], "configurations": [HONEST]}, {"trials": 2}, "adds 1 cases: toll-3"),
]


@pytest.mark.sockets
@pytest.mark.parametrize(("before", "after", "words"), GROWTH)
def test_a_run_grows_to_the_bytes_of_a_new_one(call, before, after, words):
    write(**before)
    call(*RUN)
    done = set(journal().splitlines())
    write(**after)

    said = call(*RUN)
    call(*RUN, "--out", "new")

    assert f"reports/mine: {words}" in said
    assert journal() == journal("new")
    assert done <= set(journal().splitlines())
    assert Path("reports/mine/cases.jsonl").read_bytes() == Path("new/cases.jsonl").read_bytes()
    assert "adds" not in call(*RUN)


@pytest.mark.sockets
def test_a_selection_adds_and_takes_nothing_away(call):
    write()
    call(*RUN, "--configuration", "hon*", "--exclude", "toll-3")
    call(*RUN, "--configuration", "silent")
    whole = call(*RUN)
    before = journal()
    call(*RUN, "--case", "toll-1")
    call(*RUN, "--out", "new")

    assert "adds" not in whole
    assert journal() == before == journal("new")


@pytest.mark.sockets
@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"cases": [{**CASES[0], "question": "Another?"}, *CASES[1:]]}, "cases changed: toll-1;"),
        ({"cases": CASES[1:]}, "holds cases that the experiment lacks: toll-1;"),
        ({"configurations": [SILENT]}, "holds configurations that the experiment lacks: honest;"),
        ({"configurations": [("honest", "reference:launderer"), SILENT]}, "configuration honest: model: reference:honest -> reference:launderer"),
    ],
)  # fmt: skip
def test_what_changed_is_named_and_nothing_is_written(call, change, says):
    write()
    call(*RUN)
    before = journal()
    write(**change)

    said = call(*RUN, code=2)

    assert says in said.replace("'", "")
    assert said.rstrip().endswith("give another --out, or --overwrite to replace it")
    assert journal() == before


@pytest.mark.sockets
def test_a_run_grows_after_its_recordings_did(call):
    shutil.rmtree("cassettes")
    write(cases=CASES[:1])
    call("record", "mine.toml", "--no-report")
    call(*RUN)
    write()
    call(*RUN, code=4)  # two cases have no recording yet
    call("record", "mine.toml", "--no-report")

    said = call(*RUN)
    call(*RUN, "--out", "new")

    assert "trials that are done are replayed, to see whether they are the same" in said
    assert journal() == journal("new")


@pytest.mark.sockets
def test_another_recording_of_what_is_done_is_refused(call):
    write(cases=CASES[:1], configurations=[HONEST])
    call(*RUN)
    before = journal()
    Path("reports/mine/trials.jsonl").write_bytes(before.replace(b"https://", b"https://www.", 1))
    manifest = Path("reports/mine/manifest.json")
    data = json.loads(manifest.read_bytes())
    manifest.write_text(json.dumps({**data, "cassettes_sha256": "0" * 64}), "utf-8")

    said = call(*RUN, code=2)

    assert "by the recordings of today 1 trials end otherwise, the first toll-1/honest/1" in said


@pytest.mark.sockets
def test_record_asks_only_for_what_is_missing_and_leaves_no_folders(call):
    shutil.rmtree("cassettes")
    write(cases=CASES[:1])
    call("record", "mine.toml", "--no-report")
    write()
    said = call("record", "mine.toml", "--no-report")
    changed = call("record", "mine.toml", "--no-report", "--set", "seed=3")

    assert "reports/mine-recording: adds 2 cases" in said
    assert "holds a run of something else: seed: 0 -> 3" in changed
    assert "what is recorded is kept, and no report" in changed
    assert [path.name for path in Path("reports").iterdir()] == ["mine-recording"]


@pytest.mark.parametrize(
    ("words", "instead"),
    [
        (("run", "x.toml", "--resume"), "run goes on with the run in its folder by itself"),
        (("record", "x.toml", "--resume"), "record goes on by itself"),
        (("record", "x.toml", "--missing"), "record asks only for what is missing by itself"),
        (("record", "x.toml", "--all"), "name another folder with --set cassettes=FOLDER"),
    ],
)
def test_an_option_that_is_gone_names_what_takes_its_place(monkeypatch, capsys, words, instead):
    monkeypatch.setattr(sys, "argv", ["research-eval", *words])
    with pytest.raises(SystemExit) as caught:
        main()

    assert caught.value.code == 2
    assert instead in capsys.readouterr().err


@pytest.mark.sockets
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--exclude", "tol-1"), "unknown case or configuration 'tol-1'; did you mean 'toll-1'?"),
        (("--configuration", "x*"), "unknown configuration 'x*'; known: honest, silent"),
        (("--case", "toll-9"), "unknown case 'toll-9'; did you mean"),
        (("--exclude", "*"), "no case has both"),
        (("--configuration", "honest", "--exclude", "honest"), "no configuration is left"),
    ],
)
def test_a_pattern_that_chooses_nothing_is_refused(call, words, says):
    write()

    assert says in call(*RUN, *words, code=2)
