"""`research-eval cassette`: words in, exit status and text out."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from research_eval.cassette import Redactor
from research_eval.cassette.foreign import ForeignExchange, keep_as_trial, keep_as_web
from research_eval.cassette.store import FolderStore
from research_eval.cli.cassette import cassette
from research_eval.errors import CassetteError

PAGE = ("<p>some page</p>\n" * 300).encode()
KIND = [("content-type", "application/json")]


def exchange(url, body=b"ok", status=200, **request):
    sent = {"method": "GET", "request_headers": [], "request_body": b""} | request
    return ForeignExchange(
        uri=url,
        status=status,
        reason="OK",
        headers=[("content-type", "text/html")],
        body=body,
        **sent,
    )


def chat(text):
    return exchange(
        "https://m.example/chat",
        b'{"text": "hi"}',
        method="POST",
        request_headers=KIND,
        request_body=json.dumps({"q": text}).encode(),
    )


@pytest.fixture
def place(tmp_path):
    pages = [
        exchange("https://a.example/one", PAGE),
        exchange("https://b.example/two?x=1", status=404),
    ]
    keep_as_web(pages, FolderStore(tmp_path / "cassettes/web", has_shared_bodies=True), Redactor())
    keep_as_trial(
        [chat("a"), chat("b")], FolderStore(tmp_path / "cassettes/small"), Redactor(), "case-1", 1
    )
    return tmp_path / "cassettes"


def run(*words, code=0):
    result = CliRunner().invoke(cassette, [str(word) for word in words], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    assert (result.return_value or 0) == code, result.output
    return result.output


def test_ls_prints_a_line_an_exchange(place):
    lines = [line.split("\t") for line in run("ls", place).splitlines()]

    assert [(line[1], line[2], line[3]) for line in lines] == [
        ("POST https://m.example/chat", "200", "14"),
        ("POST https://m.example/chat", "200", "14"),
        ("GET https://a.example/one", "200", str(len(PAGE))),
        ("GET https://b.example/two?x=1", "404", "2"),
    ]
    assert len(run("ls", place, "--host", "a.example").splitlines()) == 1


def test_show_prints_request_and_answer_in_full_or_in_part(place):
    name = run("ls", place, "--host", "a.example").split("\t")[0]

    assert "GET https://a.example/one" in run("show", place, name)
    assert f"({len(PAGE)} characters)" in run("show", place, name)
    assert run("show", place, name, "--whole").count("some page") == 300
    assert '"q": "a"' in run("show", place, "small/case-1")
    with pytest.raises(CassetteError, match="no recording called 'nothing'"):
        run("show", place, "nothing")


def test_show_does_not_let_a_recording_steer_the_terminal(tmp_path):
    keep_as_web(
        [exchange("https://a.example/", b"\x1b]0;evil\x07\x1b[2J")],
        FolderStore(tmp_path / "web"),
        Redactor(),
    )

    assert "\x1b" not in run("show", tmp_path / "web", "a.example")


def test_verify_is_silent_on_sound_recordings_and_exits_1_on_findings(place):
    assert run("verify", place) == "3 cassettes, 0 findings\n"
    next((place / "web/bodies").iterdir()).unlink()

    assert "unreadable\tweb/a.example/one." in run("verify", place, code=1)


def test_verify_knows_what_was_played(place, tmp_path):
    name = run("ls", place, "--host", "a.example").split("\t")[0]
    (tmp_path / "played.txt").write_text(name.removeprefix("web/") + "\n")

    assert run("verify", place, "--played", tmp_path / "played.txt", code=1).count("unplayed") == 1
    with pytest.raises(CassetteError, match="cannot be read"):
        run("verify", place, "--played", tmp_path / "none.txt")


def test_scrub_takes_out_patterns_and_keys_of_the_environment(place, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "some page")
    monkeypatch.setenv("RESEARCH_EVAL_SECRETS", "SOME_API_KEY")  # a word of text, named as a secret
    assert "1 cassettes would change" in run("scrub", place, "--dry-run")
    assert "1 cassettes changed" in run("scrub", place)
    assert "1 cassettes changed" in run("scrub", place, "--pattern", "two", "--field", "unknown")
    assert not any(b"some page" in path.read_bytes() for path in place.rglob("*") if path.is_file())
    monkeypatch.delenv("SOME_API_KEY")

    assert run("verify", place) == "3 cassettes, 0 findings\n"


def test_prune_removes_what_nothing_refers_to(place):
    (place / "web/bodies" / ("0" * 64 + ".txt")).write_text("loose")

    assert run("prune", place, "--dry-run").endswith("1 would be removed\n")
    assert run("prune", place).endswith("1 removed\n")
    assert run("prune", place) == "0 removed\n"


def test_diff_exits_1_where_recordings_differ(place, tmp_path):
    other = tmp_path / "other"
    keep_as_web(
        [exchange("https://a.example/one", PAGE + b"more")], FolderStore(other / "web"), Redactor()
    )

    assert run("diff", place, place) == ""
    lines = run("diff", place, other, code=1).splitlines()
    assert [line.split("\t")[0] for line in lines] == ["removed", "removed", "changed", "removed"]


@pytest.mark.parametrize("names", [("web", "other"), ("old-web", "new-web"), ("before", "web")])
def test_two_webs_are_compared_whatever_their_folders_are_called(place, tmp_path, names):
    folders = [tmp_path / "side" / str(n) / name for n, name in enumerate(names)]
    for folder in folders:
        shutil.copytree(place / "web", folder)
    assert run("diff", *folders) == ""
    keep_as_web(
        [exchange("https://c.example/new")],
        FolderStore(folders[1], has_shared_bodies=True),
        Redactor(),
    )
    (line,) = run("diff", *folders, code=1).splitlines()

    assert line.startswith("added\t")
    assert "GET https://c.example/new" in line


def test_whole_experiments_are_compared_folder_by_folder(place, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(place, other)
    (other / "small").rename(other / "renamed")
    assert run("diff", place, other) == ""
    shutil.copytree(other / "renamed", other / "second")
    found = run("diff", place, other, code=1)

    assert {line.split("\t")[0] for line in found.splitlines()} == {"added", "removed"}


def test_stats_count(place):
    found = json.loads(run("stats", place, "--json"))

    assert found["web"]["statuses"] == {"200": 1, "404": 1}
    assert found["small"]["interactions"] == 2
    assert "interactions: 2" in run("stats", place)


def test_warc_goes_both_ways(place, tmp_path):
    assert "2 exchanges written" in run("export-warc", place, tmp_path / "x.warc.gz")
    assert "2 exchanges kept" in run("import-warc", tmp_path / "x.warc.gz", tmp_path / "crawl/web")
    assert run("diff", place / "web", tmp_path / "crawl/web") == ""
    with pytest.raises(CassetteError, match="holds no recorded web"):
        run("export-warc", place / "small", tmp_path / "y.warc.gz")


def har(path, *contents):
    entries = [
        {
            "request": {"method": "GET", "url": f"https://a.example/{n}", "headers": []},
            "response": {"status": 200, "headers": [], "content": content},
        }
        for n, content in enumerate(contents)
    ]
    path.write_text(json.dumps({"log": {"entries": entries}}))
    return path


@pytest.mark.parametrize("trial", [(), ("--trial", "case-1/1")])
def test_an_import_counts_what_was_kept_skipped_and_refused(tmp_path, trial):
    mixed = har(tmp_path / "x.har", {"text": "a"}, {"size": 5}, {"text": "b"})
    said = run("import-har", mixed, tmp_path / "new/web", *trial, code=1)

    assert said.splitlines() == [
        f"2 exchanges kept in {tmp_path / 'new/web'}",
        "refused: entry 2: its body was not saved",
        "2 kept, 0 skipped, 1 refused",
    ]


def test_an_import_that_refuses_much_tells_ten_and_the_number_of_the_others(tmp_path):
    said = run("import-har", har(tmp_path / "x.har", *[{"size": 5}] * 25), tmp_path / "w", code=1)

    assert said.count("\nrefused: entry") == 10
    assert "refused: … and 15 more\n0 kept, 0 skipped, 25 refused\n" in said
    assert not (tmp_path / "w").exists()


def test_an_import_twice_adds_nothing_and_is_no_failure(tmp_path):
    whole = har(tmp_path / "x.har", {"text": "a"})
    run("import-har", whole, tmp_path / "new/web")

    assert "0 exchanges kept" in run("import-har", whole, tmp_path / "new/web")


def test_an_import_of_nothing_is_an_error(tmp_path):
    with pytest.raises(CassetteError, match="holds no exchange"):
        run("import-har", har(tmp_path / "x.har"), tmp_path / "new/web")


@pytest.mark.parametrize("name", ["x.yaml", "x.json"])
def test_vcrpy_cassettes_go_both_ways(place, tmp_path, name):
    assert "2 exchanges written" in run("export-vcr", place, tmp_path / name, "--name", "small/")
    assert "2 exchanges kept" in run(
        "import-vcr", tmp_path / name, tmp_path / "new/small", "--trial", "case-1/1"
    )
    assert run("diff", place / "small", tmp_path / "new/small") == ""
    assert "2 exchanges kept" in run("import-vcr", tmp_path / name, tmp_path / "new/web")


def test_a_trial_that_is_misspelled_is_a_usage_error(place, tmp_path):
    run("export-vcr", place, tmp_path / "x.yaml")
    result = CliRunner().invoke(
        cassette, ["import-vcr", str(tmp_path / "x.yaml"), str(tmp_path / "n"), "--trial", "case-1"]
    )

    assert result.exit_code == 2
    assert "expected CASE/NUMBER" in result.output


def test_packing_and_unpacking_leaves_the_same_recordings(place):
    before = {
        path.relative_to(place): path.read_bytes()
        for path in sorted(place.rglob("*"))
        if path.is_file()
    }
    assert "web: 2 cassettes moved" in run("pack", place)
    assert sorted(path.name for path in place.iterdir()) == ["small.pack", "web.pack"]
    assert len(run("ls", place).splitlines()) == 4
    assert run("verify", place) == "3 cassettes, 0 findings\n"
    run("unpack", place)

    assert before == {
        path.relative_to(place): path.read_bytes()
        for path in sorted(place.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("command", ["ls", "verify", "stats", "prune", "pack"])
def test_a_place_that_is_none_is_one_line(tmp_path, command):
    with pytest.raises(CassetteError, match="no folder of recordings"):
        run(command, tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CassetteError, match="holds no recordings"):
        run(command, tmp_path / "empty")
    assert Path(tmp_path / "empty").exists()
