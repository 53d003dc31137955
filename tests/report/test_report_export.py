"""Every format of a report: what is in it, that hostile text stays text, and a bundle that can be checked."""

import csv
import hashlib
import json
import re
import zipfile
from xml.etree import ElementTree as ET

import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given, settings, strategies as st

from research_eval.cli.main import cli
from research_eval.dataset import Case
from research_eval.errors import RecordError, UsageError
from research_eval.report.bundle import check_bundle
from research_eval.report.latex import escape_latex
from research_eval.report.write import FORMATS, write_report
from research_eval.schema import AnswerChecked, SourceRecord, Verdict

HOSTILE = (
    "</script><script>alert(1)</script>", "=cmd|' /C calc'!A0", "\\input{/etc/passwd}", "$x^2$ & %",
    "\x1b[31m\x1b]0;t\x07", "]]><x>&lt;", "| a | `b` | [c](javascript:d)", "\uff1d1+1\r\n@x",
)  # fmt: skip


@pytest.fixture
def hostile(made, make_folder):
    """A run in which every free text is hostile."""
    everything = " ".join(HOSTILE)
    record = made.manifest(
        [made.configuration(f"c{n} {one}", model=one) for n, one in enumerate(HOSTILE)], ["case-1"]
    ).model_copy(update={"experiment": everything, "dataset": everything})
    trials = [
        made.trial(
            [AnswerChecked(attempt=1, answer=one, verdict=Verdict(gate="default@1"))],
            under=f"c{n} {one}", question=one, tags=(one,),
            sources=[SourceRecord(key=one, url=one, title=one)],
        )
        for n, one in enumerate(HOSTILE)
    ]  # fmt: skip
    folder = make_folder(record, trials)
    case = Case(id="case-1", question=everything, expected=[{"value": one} for one in HOSTILE])
    folder.cases_path.write_text(case.model_dump_json() + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def run(made, make_folder, large):
    record, trials = large
    return make_folder(record, trials)


def test_a_hostile_run_does_no_harm_in_any_format(hostile) -> None:
    written = {path.name: path for path in write_report(hostile, formats=FORMATS)}

    with written["scores.csv"].open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [c for c in cells if re.match(r"\s*[=+@\uff1d\uff0b\uff20]|\s*-(?![\d.])", c)]
    for name in ("report.md", "report.tex", "junit.xml"):
        assert not set(written[name].read_text("utf-8")) & set("\x1b\x07\x00"), name
    assert "\\input{" not in written["report.tex"].read_text("utf-8")
    assert "<script" not in written["report.md"].read_text("utf-8").replace("\\<", "")
    assert len(ET.parse(written["junit.xml"]).findall(".//testcase")) == len(HOSTILE)
    for name, path in written.items():
        if path.suffix == ".svg":
            tags = {one.tag.rpartition("}")[2] for one in ET.parse(path).iter()}
            assert not tags & {"script", "foreignObject", "image", "a"}, name
    assert set(pd.read_parquet(written["trials.parquet"]).answer) == set(HOSTILE)
    assert json.loads(written["report.json"].read_bytes())["schema_version"] == 1


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.sampled_from("\\{}$&#%_^~[]*<>|\"'`ab \n\u202f"), max_size=20))
def test_no_text_is_a_command_of_latex(text) -> None:
    found = escape_latex(text)
    known = r"\\(textbackslash|textasciicircum|textasciitilde|textless|textgreater|textbar)\{\}"
    rest = re.sub(known + r"|\{\\char34\}|\\[{}$&#%_]|\\,|\{[\[\]*]\}", "", found)

    assert not set(rest) & set("\\{}$&#%_^~[]*\n")


def test_csv_and_parquet_hold_question_answer_and_expected(run) -> None:
    case_ids = run.manifest().case_ids
    cases = [Case(id=one, question="Why?", expected=["1907", "a, b"]) for one in case_ids]
    lines = "".join(case.model_dump_json() + "\n" for case in cases)
    run.cases_path.write_text(lines, encoding="utf-8")
    table, stored = (
        read(path)
        for read, path in zip(
            (pd.read_csv, pd.read_parquet),
            write_report(run, formats=["csv", "parquet"]),
            strict=True,
        )
    )
    answers = {one.key: one.answer for one in run.trials()}
    for frame in (table, stored):
        assert set(frame.expected) == {"1907; a, b"}
        for row in frame.itertuples():
            answer = answers[row.case_id, row.configuration, row.trial]
            assert answer is None or row.answer == answer


def test_the_same_records_give_the_same_bytes_in_every_format(run, tmp_path) -> None:
    first, second = (
        [path.read_bytes() for path in write_report(run, formats=FORMATS, out=tmp_path / name)]
        for name in ("a", "b")
    )
    assert first == second


def test_pictures_are_files_of_their_own(run) -> None:
    written = write_report(run, formats=["svg", "png"])

    assert {path.parent.name for path in written} == {"plots"}
    for path in written:
        begin = b"\x89PNG" if path.suffix == ".png" else b"<?xml"
        assert path.read_bytes().startswith(begin)


def call(*words):
    return CliRunner().invoke(cli, list(map(str, words)), standalone_mode=False)


@pytest.fixture
def bundle(run):
    (path,) = write_report(run, formats=["zip"])
    return path


def test_a_bundle_is_verified_and_kept_with_one_command(bundle, run, tmp_path) -> None:
    found = call("verify", bundle, "--out", tmp_path / "theirs")
    ran = len(list(run.trials()))

    assert found.return_value == 0, found.output
    assert f"{ran} trials give the same values" in found.output
    theirs, mine = (
        (path / "trials.jsonl").read_bytes() for path in (tmp_path / "theirs", run.path)
    )
    assert theirs == mine
    assert call("report", tmp_path / "theirs", "--format", "md", "--quiet").return_value in {0, 3}


def test_a_bundle_of_two_models_is_verified_wherever_the_run_lay(made, make_folder) -> None:
    models = [
        made.configuration(name, model=f"openai:{name}", is_reference_agent=False)
        for name in ("small", "a: large")
    ]
    trials = [made.trial([made.checked(1, "No source.")], under=one.name) for one in models]
    run = make_folder(made.manifest(models, ["case-1"]), trials, "my runs: 1")
    report, path = write_report(run, formats=["json", "zip"])
    (difference,) = json.loads(report.read_bytes())["differences"]

    assert call("verify", path).return_value == 0
    assert (difference["base"], difference["head"]) == ("small", "a: large")


def test_a_bundle_holds_no_text_of_a_page(made, make_folder, tmp_path) -> None:
    body = "the text of a page that nobody may hand on"
    digest = hashlib.sha256(body.encode()).hexdigest()
    source = SourceRecord(
        key="https://a.example/", url="https://a.example/", state="fetched", content_sha256=digest
    )
    trial = made.trial([made.checked(1, "See https://a.example/ now")], sources=[source])
    folder = make_folder(made.manifest([made.configuration()], ["case-1"]), [trial])
    folder.page_path(digest).parent.mkdir(parents=True)
    folder.page_path(digest).write_text(body, encoding="utf-8")
    page, (path,) = (write_report(folder, formats=[form]) for form in ("html", "zip"))
    with zipfile.ZipFile(path) as packed:
        names, html = packed.namelist(), packed.read("report.html")

    assert f'id="page-{digest}"'.encode() in page[0].read_bytes()
    assert f'id="page-{digest}"'.encode() not in html
    assert digest.encode() in folder.trials_path.read_bytes()
    assert not [name for name in names if "/" in name]


def changed(bundle, path, name, content, extra=()):
    with zipfile.ZipFile(bundle) as before, zipfile.ZipFile(path, "w") as after:
        for one in before.namelist():
            after.writestr(one, content if one == name else before.read(one))
        for one, text in extra:
            after.writestr(one, text)
    return path


def test_a_bundle_whose_files_were_changed_does_not_verify(bundle, tmp_path) -> None:
    found = call("verify", changed(bundle, tmp_path / "b.zip", "report.md", b"All passed."))

    assert found.return_value == 1
    assert "report.md: its digest is not the one in SHA256SUMS" in found.output


def test_values_that_the_records_do_not_give_do_not_verify(bundle, tmp_path) -> None:
    with zipfile.ZipFile(bundle) as packed:
        report, sums = packed.read("report.json"), packed.read("SHA256SUMS").decode()
    lie = report.replace(b'"is_conclusive": true', b'"is_conclusive": false')
    lie = (
        lie
        if lie != report
        else report.replace(b'"is_conclusive": false', b'"is_conclusive": true')
    )
    old, new = (hashlib.sha256(one).hexdigest() for one in (report, lie))
    path = changed(bundle, tmp_path / "b.zip", "report.json", lie)
    path = changed(path, tmp_path / "c.zip", "SHA256SUMS", sums.replace(old, new))
    found = call("verify", path)

    assert found.return_value == 1
    assert "report.json: other values than its records give" in found.output


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "pages/x.txt", "extra.json"])
def test_a_bundle_with_other_files_is_refused(bundle, tmp_path, name) -> None:
    path = changed(bundle, tmp_path / "b.zip", None, b"", [(name, "x")])

    with pytest.raises(RecordError, match="its files are not those of SHA256SUMS"):
        check_bundle(path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_what_is_no_bundle_is_one_line(tmp_path) -> None:
    (tmp_path / "b.zip").write_bytes(b"not a zip")

    with pytest.raises(RecordError, match=r"b\.zip: not a results bundle"):
        check_bundle(tmp_path / "b.zip", tmp_path / "out")
    with pytest.raises(RecordError, match="No such file"):
        check_bundle(tmp_path / "none.zip", tmp_path / "out")


def test_parquet_without_its_extra_says_what_to_install(run, monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)

    with pytest.raises(UsageError, match=r"pip install 'research-eval\[parquet\]'"):
        write_report(run, formats=["parquet"])
