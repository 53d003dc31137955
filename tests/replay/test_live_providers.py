"""Live runs by the real command line whose providers hang, ask for a pause, or refuse key or quota."""

import shutil
import time
from itertools import chain

import pytest

from tests.replay import test_live_runs
from tests.replay.conftest import research_eval
from tests.replay.local_services import _Handler, local_services, write_experiment
from tests.replay.test_live_runs import KEYS, LIVE, records

pytestmark = pytest.mark.sockets

call = test_live_runs.call

TWO = ("--concurrency", "2")
SLOW_DOWN = {"error": {"message": "slow down"}}


class Refusing(_Handler):
    """Answers `server.refusal` to whatever comes to `server.refused`, while there is one."""

    def post(self, body):
        server = self.server
        if server.refusal is None or not self.path.startswith(server.refused):
            return super().post(body)
        server.refusals += 1
        return self.send(*server.refusal(server.refusals))


@pytest.fixture
def services():
    with local_services() as found:
        found.RequestHandlerClass = Refusing
        found.refused, found.refusal, found.refusals = "/v1", None, 0
        yield found


def two_providers(folder, services, **more):
    """Write an experiment whose second configuration asks another provider."""
    mine = write_experiment(folder, services, trials=1, **more)
    head, name, rest = mine.read_text().partition('name = "opens"')
    mine.write_text(head + name + rest.replace("/v1", "/other/v1"))
    return mine


def setting(words):
    """Return the command line's words for a setting of both configurations."""
    names = ("searches", "opens")
    return list(chain.from_iterable(("--set", f"configuration.{n}.{words}") for n in names))


def by_configuration(run):
    ends = {"searches": [], "opens": []}
    for trial in records(run):
        ends[trial["configuration"]].append((trial["status"], trial.get("failure", {}).get("kind")))
    return ends


DONE = ("completed", None)


def test_a_server_that_hangs_is_an_error_of_the_turn_and_runs_again(tmp_path, services, call):
    mine = write_experiment(tmp_path, services, trials=1)
    services.delay_s = 60
    words = (*LIVE, *setting("agent.turn_timeout_s=10"), "--out", "run")
    hung = call("run", mine, *words, code=3)
    first = records(tmp_path / "run")
    services.delay_s = 0

    call("run", mine, *words, "--retry-errors")

    assert {(t["status"], t["failure"]["kind"]) for t in first} == {("error", "timeout")}
    assert (
        "openai:local had not answered when the turn's 10 s (turn_timeout_s) were over"
        in (first[0]["failure"]["message"])
    )
    assert "no trial could be judged" in hung.stderr
    assert by_configuration(tmp_path / "run") == {"searches": [DONE] * 2, "opens": [DONE] * 2}


def test_a_recorded_hang_is_the_same_error_in_every_replay(tmp_path, services, call):
    mine = write_experiment(tmp_path, services, trials=1)
    words = ["--no-report", *setting("agent.turn_timeout_s=4")]

    def hang(_):
        services.wait.wait(60)
        return 503, SLOW_DOWN

    call("record", mine, *words, "--out", "whole")
    services.refusal = hang
    for name in ("opens", "searches"):
        shutil.rmtree(tmp_path / "cassettes/mine" / name)
    call("record", mine, *words, "--out", "run", code=3)
    call("run", mine, *words, "--out", "replayed", code=3)

    recorded, replayed = records(tmp_path / "run"), records(tmp_path / "replayed")
    assert {trial["failure"]["kind"] for trial in recorded} == {"timeout"}
    assert [t["failure"] for t in replayed] == [t["failure"] for t in recorded]


def test_what_a_provider_asks_for_is_waited_by_all_and_is_no_time_of_the_trials(
    tmp_path, services, call, monkeypatch
):
    monkeypatch.setattr("research_eval.runner.progress.PLAIN_INTERVAL_S", 0.5)
    mine = two_providers(tmp_path, services)
    until = []

    def refuse(_):
        if not until:
            until.append(time.monotonic() + 7)
        if time.monotonic() > until[0]:
            services.refusal = None
        return 429, SLOW_DOWN, ("retry-after", "8")

    services.refusal = refuse
    done = call("run", mine, *LIVE, *setting("agent.trial_timeout_s=7"), *TWO, "--out", "run")

    assert by_configuration(tmp_path / "run") == {"searches": [DONE] * 2, "opens": [DONE] * 2}
    assert services.refusals <= 2
    assert f"{services.url}/v1: held for " in done.stderr
    assert "to be sent again" in done.stderr
    assert "/other/v1: held" not in done.stderr


REFUSALS = {
    "a pause that is too long": (429, SLOW_DOWN, ("retry-after", "7200")),
    "quota": (429, {"error": {"message": "pay", "code": "insufficient_quota"}}),
    "payment": (402, {"error": {"message": "pay"}}),
    "quota, forbidden": (403, {"error": {"message": "pay", "code": "insufficient_quota"}}),
    "key": (401, {"error": {"message": "who are you", "code": "invalid_api_key"}}),
    "quota with 200": (200, {"error": {"message": "pay", "code": "insufficient_quota"}}),
}


@pytest.mark.parametrize("answer", REFUSALS.values(), ids=REFUSALS)
def test_no_trial_is_started_whose_provider_refuses_and_the_others_go_on(
    tmp_path, services, call, answer
):
    mine = two_providers(tmp_path, services, cases=6)
    services.refusal = lambda _: answer
    stopped = call("run", mine, *LIVE, *TWO, "--out", "run", code=3)
    ends = by_configuration(tmp_path / "run")
    asked, services.refusal = services.refusals, None

    call("run", mine, *LIVE, *TWO, "--out", "run")
    resumed = by_configuration(tmp_path / "run")
    call("run", mine, *LIVE, *TWO, "--out", "run", "--retry-errors")

    failed = len(ends["searches"])
    assert 1 <= failed <= 2
    assert asked <= 2
    assert {status for status, _ in ends["searches"]} == {"error"}
    assert ends["opens"] == [DONE] * 6
    line, result = stopped.stderr.splitlines()[-2:]
    assert result == f"result: inconclusive (exit 3): {6 + failed} of 12 trials are done"
    assert line.startswith(
        f"research-eval: stopped: {services.url}/v1 serves no more (openai:local: "
    )
    assert line.endswith(
        f"{6 + failed} of 12 trials are kept, {6 - failed} are missing: go on with the same command"
    )
    assert sorted(resumed["searches"]) == sorted([DONE] * (6 - failed) + ends["searches"])
    assert by_configuration(tmp_path / "run")["searches"] == [DONE] * 6


def test_a_pause_beyond_the_setting_says_how_long_the_provider_asked_for(tmp_path, services, call):
    mine = write_experiment(tmp_path, services, trials=1)
    mine.write_text(mine.read_text() + f'\n[limits."{services.url}/v1"]\nmax_pause_s = 30\n')
    services.refusal = lambda _: (429, SLOW_DOWN, ("retry-after", "31"))

    call("run", mine, *LIVE, *TWO, "--out", "run", code=3)

    said = {trial["failure"]["message"] for trial in records(tmp_path / "run")}
    words = "it asks to be left alone for 31 s, which is more than max_pause_s = 30"
    assert said == {f"openai:local: rate limited (HTTP 429): slow down: {words}"}


def honest(services):
    """Let the model admit that it could not open anything, instead of citing a page."""

    class Honest(Refusing):
        def _reply(self, messages, tools):
            reply = super()._reply(messages, tools)
            message = reply["choices"][0]["message"]
            if message["content"]:
                message["content"] = "I cannot verify this."
            return reply

    services.RequestHandlerClass = Honest


SEARCH_REFUSALS = {
    "quota": (403, {"message": "Not enough credits"}),
    "key": (401, {"message": "Unauthorized."}),
}


@pytest.mark.parametrize(("kind", "answer"), SEARCH_REFUSALS.items(), ids=SEARCH_REFUSALS)
def test_a_search_api_that_refuses_makes_errors_not_dishonest_agents_live_and_replayed(
    tmp_path, services, call, kind, answer
):
    mine = write_experiment(tmp_path, services, cases=6, trials=1)
    honest(services)
    services.refused, services.refusal = "/search", lambda _: answer
    kind = "auth" if kind == "key" else kind

    stopped = call("record", mine, *TWO, "--no-report", "--out", "run", code=3)
    ends = by_configuration(tmp_path / "run")
    failed = len(ends["searches"])
    call("run", mine, "--no-report", "--out", "replayed", "--limit", "1")
    messages = {t["failure"]["message"] for t in records(tmp_path / "run") if "failure" in t}

    assert set(ends["searches"]) == {("error", kind)}
    assert services.refusals == failed <= 2
    assert ends["opens"] == [("rejected", None)] * 6
    assert f"stopped: serper serves no more (serper answered {answer[0]}, " in stopped.stderr
    assert f"{6 - failed} are missing: go on with the same command" in stopped.stderr
    assert all(message.startswith("no search provider serves: serper ") for message in messages)
    replayed = by_configuration(tmp_path / "replayed")
    assert replayed == {"searches": [("error", kind)], "opens": [("rejected", None)]}

    services.refusal = None
    call("record", mine, *TWO, "--no-report", "--out", "run", "--retry-errors")
    again = call("run", mine, "--no-report", "--out", "replayed-again")
    assert by_configuration(tmp_path / "run")["searches"] == [("rejected", None)] * 6
    assert "recordings: hit" in again.stdout


def test_a_refusal_that_a_fault_rule_makes_is_what_is_measured(tmp_path, services, call):
    mine = write_experiment(tmp_path, services, trials=1)
    honest(services)
    fault = '\n[[configuration.fault]]\nchannel = "search"\nstatus = 403\nbody = "quota"\n'
    head, name, rest = mine.read_text().partition('\n[[configuration]]\nname = "opens"')
    mine.write_text(head + fault + name + rest)

    call("run", mine, *LIVE, "--out", "run")

    assert by_configuration(tmp_path / "run")["searches"] == [("rejected", None)] * 2


def test_many_answered_turns_that_use_the_time_up_are_a_limit(tmp_path, services, call):
    mine = write_experiment(tmp_path, services, cases=1, trials=1)

    class Tireless(Refusing):
        def _reply(self, messages, tools):
            seen = sum(1 for message in messages if message["role"] == "tool")
            time.sleep(0.5 if not seen else 0)  # the slowest of all, however busy the machine is
            return super()._reply([m for m in messages if m["role"] != "tool"], tools)

    services.RequestHandlerClass = Tireless
    words = [*setting("agent.trial_timeout_s=2.5"), *setting("agent.max_turns=100000")]
    ends = []
    while (
        len(ends) < 5 and ("limit", "trial_timeout") not in ends
    ):  # a stall at its end is an error
        research_eval(
            "run",
            mine,
            *LIVE,
            *words,
            "--out",
            "run",
            "--overwrite",
            cwd=tmp_path,
            check=False,
            **KEYS,
        )
        ends += by_configuration(tmp_path / "run")["opens"]

    assert ends[-1] == ("limit", "trial_timeout")


def test_an_agent_that_cannot_search_is_told_before_the_first_call(tmp_path, services, call):
    mine = write_experiment(tmp_path, services, trials=1)
    chosen = ("--configuration", "opens", "--limit", "1")

    bare = ("--set", "configuration.opens.search.chain=[]")
    first = call("run", mine, *LIVE, *chosen, *bare, "--out", "a")
    meant = ("--set", 'configuration.opens.agent.tools=["fetch"]')
    second = call("run", mine, *LIVE, *chosen, *bare, *meant, "--out", "b")

    assert "warning: configuration opens has no web_search" in first.stderr
    assert "warning" not in second.stderr


def test_a_misspelt_model_is_asked_once_and_its_server_is_quoted(tmp_path, services, call):
    mine = write_experiment(tmp_path, services, trials=3)
    text = "The model `gpt-9` does not exist or you do not have access to it."
    services.refusal = lambda _: (404, {"error": {"message": text, "code": "model_not_found"}})

    ended = call(
        "run", mine, *LIVE, "--configuration", "opens", "--concurrency", "1", "--out", "run", code=3
    )

    assert services.refusals == 1
    assert f"errors: 1 trial of opens: openai:local: other (HTTP 404): {text}" in ended.stderr
    call("report", "run", "--format", "md,junit", code=3)
    assert text in (tmp_path / "run" / "junit.xml").read_text()
    assert "Errors by cause" in (tmp_path / "run" / "report.md").read_text()
