"""What a run says at its end beside its results."""

import pytest

from research_eval.cli.notice import print_notices
from research_eval.journal import RunFolder
from tests.story import Story


def keep(folder, *stories):
    lines = [story.record(trial=n).model_dump_json() for n, story in enumerate(stories, start=1)]
    RunFolder(folder).trials_path.write_text("".join(f"{line}\n" for line in lines))
    return folder


def test_blocked_pages_are_counted_with_their_hosts_and_what_allows_them(tmp_path, capsys):
    story = Story().search("http://wiki.intranet.example/")
    for url in ("http://wiki.intranet.example/", "http://wiki.intranet.example/2", "http://[::1"):
        story.fetch(url, error="blocked")
    print_notices(keep(tmp_path, story.answer("No source."), Story().answer("None.")))

    said = capsys.readouterr().err
    assert "blocked: 3 fetches of wiki.intranet.example, http://[::1: the SSRF guard" in said
    assert "fetch.allow_private" in said
    assert 'fetch.ports = "any"' in said


@pytest.mark.parametrize("error", [None, "http_404", "invalid_url"])
def test_nothing_is_said_of_pages_that_were_not_blocked(tmp_path, capsys, error):
    print_notices(
        keep(tmp_path, Story().fetch("https://a.example/", "text", error=error).answer("x"))
    )

    assert capsys.readouterr().err == ""
