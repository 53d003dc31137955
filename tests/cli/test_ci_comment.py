"""The one comment of a pull request: written once, then updated, from text that strangers may have made."""

import json
from http.server import ThreadingHTTPServer

import pytest
from click.testing import CliRunner

from research_eval.cli.ci_comment import comment
from research_eval.errors import UsageError
from tests.json_server import JsonHandler, serving

MARK = "<!-- research-eval -->"
HEAD = {"head_repository": {"owner": {"login": "fork"}}, "head_branch": "change", "head_sha": "abc"}
FORKED = {"workflow_run": HEAD}


class Forge(JsonHandler):
    """The few calls of GitHub's and GitLab's API that are made."""

    def asked(self, body=None):
        self.server.calls.append((self.command, self.path, body, dict(self.headers)))
        path = self.path.partition("?")[0]
        if path.endswith("/pulls"):
            self.send(200, [{"number": 7, "head": {"sha": self.server.head}}])
        elif path.endswith("/user"):
            self.send(200, {"id": 5})
        elif self.command == "GET":
            self.send(200, self.server.comments)
        else:
            self.send(self.server.status, {"html_url": "https://forge.example/1", "id": 9})

    def get(self):
        self.asked()

    def post(self, body):
        self.asked(body)

    do_PATCH = do_PUT = JsonHandler.do_POST  # noqa: N815  # the names that http.server asks for


@pytest.fixture
def forge():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Forge)
    with serving(server):
        server.calls, server.comments, server.head, server.status = [], [], "abc", 201
        yield server


@pytest.fixture
def publish(forge, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    url = f"http://127.0.0.1:{forge.server_address[1]}/api/v4"

    def call(text, event=FORKED, **environment):
        (tmp_path / "event.json").write_text(json.dumps(event))
        (tmp_path / "comment.md").write_text(text, encoding="utf-8")
        for name, value in {
            "GITHUB_API_URL": url, "GITHUB_REPOSITORY": "o/r", "RESEARCH_EVAL_TOKEN": "t0ken-of-a-test",
            "GITHUB_EVENT_PATH": str(tmp_path / "event.json"), "GITLAB_CI": "", "CI_API_V4_URL": url,
            "CI_PROJECT_ID": "3", "CI_MERGE_REQUEST_IID": "4", **environment,
        }.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        done = CliRunner().invoke(comment, ["comment.md"], standalone_mode=False)
        if done.exception is not None:
            raise done.exception
        return done.stdout

    return call


def written(forge):
    return [(verb, path, body["body"]) for verb, path, body, _ in forge.calls if body]


@pytest.mark.sockets
@pytest.mark.parametrize("event", [FORKED, {"pull_request": {"number": 7}}])
def test_the_first_comment_is_written(forge, publish, event):
    assert publish(f"{MARK}\n## red\n", event) == "wrote https://forge.example/1\n"

    assert written(forge) == [("POST", "/api/v4/repos/o/r/issues/7/comments", f"{MARK}\n## red\n")]
    assert forge.calls[-1][3]["Authorization"] == "Bearer t0ken-of-a-test"


@pytest.mark.sockets
def test_the_next_one_takes_its_place_and_nobody_elses(forge, publish):
    forge.comments = [
        {"id": 1, "body": f"{MARK}\nall green", "user": {"type": "User"}},
        {"id": 2, "body": "hello", "user": {"type": "Bot"}},
        {"id": 3, "body": f"{MARK}\nold", "user": {"type": "Bot"}},
    ]
    publish("new")

    assert [(verb, path) for verb, path, _ in written(forge)] == [
        ("PATCH", "/api/v4/repos/o/r/issues/comments/3")
    ]


@pytest.mark.sockets
def test_a_head_that_moved_on_gets_no_comment(forge, publish):
    forge.head = "later"

    assert "nothing was written" in publish("old news")
    assert written(forge) == []


@pytest.mark.sockets
def test_gitlab_updates_its_own_note(forge, publish):
    forge.comments = [
        {"id": 1, "body": MARK, "author": {"id": 6}}, {"id": 2, "body": MARK, "author": {"id": 5}},
    ]  # fmt: skip

    assert publish("new", GITLAB_CI="true") == "updated note 9\n"
    assert [one[:2] for one in written(forge)] == [
        ("PUT", "/api/v4/projects/3/merge_requests/4/notes/2")
    ]


@pytest.mark.sockets
@pytest.mark.parametrize(
    "hostile",
    ["@everyone", "[a](https://b.example)", "![a](b)", "<img src=x>", "https://b.example",
     "www.b.example", "[a]: b", "<!-- research-eval -->"],
)  # fmt: skip
def test_text_of_strangers_mentions_nobody_and_leads_nowhere(forge, publish, hostile):
    publish(f"{MARK}\nx {hostile}")

    body = written(forge)[0][2].removeprefix(MARK)
    assert hostile not in body
    assert body.replace("\u200b", "").strip() == f"x {hostile}"


@pytest.mark.sockets
def test_a_token_without_the_right_is_said_and_not_shown(forge, publish):
    forge.status = 403

    with pytest.raises(UsageError, match="HTTP 403; the token must be one that may write") as found:
        publish("x")
    assert "t0ken" not in str(found.value)


@pytest.mark.sockets
@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"RESEARCH_EVAL_TOKEN": "", "GITHUB_TOKEN": ""}, "no token"),
        ({"GITHUB_REPOSITORY": ""}, "GITHUB_REPOSITORY is not set"),
        ({"GITHUB_EVENT_PATH": "gone"}, "gone cannot be read"),
    ],
)
def test_what_is_missing_is_named(publish, environment, words):
    with pytest.raises(UsageError, match=words):
        publish("x", **environment)
