"""`check` asks a model, a search provider and pages on 127.0.0.1 once each, and says who works."""

import json

import pytest

from tests.replay import test_live_runs
from tests.replay.local_services import _Handler, local_services, write_experiment
from tests.replay.test_live_runs import KEYS

pytestmark = pytest.mark.sockets

call = test_live_runs.call

NO_TOOLS = {
    "id": "x",
    "object": "chat.completion",
    "created": 1,
    "model": "another-model",
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Sure!"}}
    ],
    "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
}


def error(message, **more):
    return {"error": {"message": message, **more}}


class Told(_Handler):
    """Answers each path as the test says, else as a sound service would; notes what was asked."""

    def post(self, body):
        self.server.bodies.append((self.path, body))
        answer = self.server.answers.get(self.path)
        return self.send(*answer) if answer else super().post(body)


@pytest.fixture
def services():
    with local_services() as found:
        found.RequestHandlerClass = Told
        found.answers, found.bodies = {}, []
        yield found


@pytest.fixture
def check(tmp_path, services, call):
    """Check the experiment with `words`; return the exit status, what was printed, and its JSON."""

    def run(*words, code):
        mine = write_experiment(tmp_path, services)
        done = call("check", mine, *words, code=code)
        services.bodies.clear()
        return done, json.loads(call("check", mine, *words, "--json", code=code).stdout)

    return run


@pytest.fixture
def without_keys(call, monkeypatch):
    for name in KEYS:
        monkeypatch.delenv(name)


def one(told, part):
    return told["answers"][part][0]


def test_everybody_who_works_is_said_to(check, services):
    done, told = check(code=0)

    model, search, pages = (one(told, part) for part in ("models", "searches", "pages"))
    assert (model["is_reachable"], model["key"], model["is_known"], model["calls_tools"]) == (
        True,
        "works",
        True,
        True,
    )
    assert model["configurations"] == ["searches", "opens"]
    assert (search["is_reachable"], search["key"], search["results"]) == (True, "works", 1)
    assert (pages["asked"], pages["reached"], pages["blocked"]) == (1, 1, 0)
    assert "result: done (exit 0): everybody answers" in done.stderr
    assert "no price is known" in done.stdout


def test_a_model_and_a_provider_that_several_share_are_asked_once(check, services):
    check(code=0)

    assert sorted(path for path, _ in services.bodies) == ["/search", "/v1/chat/completions"]


MODEL = "/v1/chat/completions"
UNKNOWN = {"is_reachable": True, "key": "works", "is_known": False, "calls_tools": None}


@pytest.mark.parametrize(
    ("path", "answer", "part", "expected", "words"),
    [
        (MODEL, (401, error("bad key")), "models", {"is_reachable": True, "key": "refused", "is_known": None}, "bad key"),
        (MODEL, (404, error("The model `local` does not exist")), "models", UNKNOWN, "does not exist"),
        (MODEL, (400, error("local is not a valid model ID")), "models", UNKNOWN, "not a valid model"),
        (MODEL, (400, error("local does not support tools")), "models", {"key": "works", "is_known": True, "calls_tools": False}, "does not support tools"),
        (MODEL, (429, error("slow down")), "models", {"is_reachable": True, "key": "works", "is_known": None}, "slow down"),
        (MODEL, (500, error("broken")), "models", {"is_reachable": True, "key": "set", "is_known": None}, "broken"),
        (MODEL, (200, NO_TOOLS), "models", {"is_known": True, "calls_tools": False, "served_model": "another-model"}, 'model.tool_protocol = "prompted"'),
        (MODEL, (200, {"choices": "none"}), "models", {"is_reachable": True, "calls_tools": None}, "holds no choices"),
        ("/search", (403, {"message": "Unauthorized."}), "searches", {"is_reachable": True, "key": "refused", "results": None}, "serper"),
        ("/search", (429, {"message": "slow down"}), "searches", {"is_reachable": True, "key": "works"}, "serper"),
        ("/search", (500, {}), "searches", {"is_reachable": True, "key": "set"}, "serper"),
        ("/search", (200, {"organic": []}), "searches", {"is_reachable": True, "results": 0}, "found nothing"),
        ("/search", (200, []), "searches", {"is_reachable": True, "results": None}, "serper"),
    ],
    ids=lambda value: str(value[0]) if isinstance(value, tuple) else None,
)  # fmt: skip
def test_who_does_not_work_is_told_with_its_own_words(
    check, services, path, answer, part, expected, words
):
    services.answers[path] = answer
    done, told = check(code=1)

    assert expected.items() <= one(told, part).items()
    assert words in one(told, part)["fault"]
    assert words in done.stdout
    assert done.stderr.splitlines()[-1].startswith("result: failed (exit 1): ")


def test_a_server_that_is_not_there_is_not_reachable(check):
    nowhere = 'configuration.searches.model.base_url="http://127.0.0.1:9/v1"'
    _, told = check("--configuration", "searches", "--set", nowhere, code=1)

    assert one(told, "models")["is_reachable"] is False


def test_a_page_that_the_guard_closes_is_counted_as_blocked(check):
    done, told = check("--set", "defaults.fetch.allow_private=[]", code=1)

    assert (one(told, "pages")["reached"], one(told, "pages")["blocked"]) == (0, 1)
    assert "blocked" in done.stdout


@pytest.mark.parametrize("name", list(KEYS))
def test_a_key_that_is_not_set_is_the_users_to_repair(check, name, monkeypatch):
    monkeypatch.delenv(name)
    done, told = check(code=2)

    assert name in " ".join(told["missing_keys"])
    assert name in done.stderr.splitlines()[-1]


def test_offline_asks_nobody_and_needs_no_key(check, services, without_keys):
    done, told = check("--offline", code=0)

    assert services.bodies == []
    assert one(told, "models")["key"] == one(told, "searches")["key"] == "not set"
    assert told["answers"]["pages"] == []
    assert "nobody was asked" in done.stderr


FAULTS = {
    'configuration.opens.agent.tools=["web_serch"]': "unknown tool 'web_serch'",
    "configuration.opens.gate=strict": "unknown gate 'strict'",
    "configuration.opens.fetch.extractor=nope": "unknown extractor 'nope'",
    'configuration.searches.search.chain=["serpper"]': "unknown search 'serpper'",
    'configuration.searches.search.chain=["corpus:nowhere"]': "no such folder",
    "configuration.opens.model.name=opneai:m": "unknown model provider 'opneai'",
    'configuration.opens.model={name="mistral:m", api_key_env="OPENAI_API_KEY", extra_body={a=1}}': "extra_body",
}


@pytest.mark.parametrize("setting", FAULTS)
@pytest.mark.parametrize("mode", ["--offline", None])
def test_a_setting_at_fault_is_named_and_the_sound_configurations_are_asked(
    check, services, setting, mode
):
    done, told = check(*([mode] if mode else []), "--set", setting, code=2)

    assert FAULTS[setting] in " ".join(told["setting_faults"])
    assert FAULTS[setting] in done.stderr
    assert bool(services.bodies) == (mode is None)


@pytest.mark.parametrize("command", ["run", "record"])
@pytest.mark.parametrize("setting", FAULTS)
def test_a_run_refuses_the_same_before_it_asks_anybody(tmp_path, services, call, command, setting):
    mine = write_experiment(tmp_path, services)
    live = ("--model", "live", "--web", "live") if command == "run" else ()
    done = call(command, mine, *live, "--out", "run", "--set", setting, code=2)

    assert FAULTS[setting] in done.stderr
    assert services.asked == []
    assert not (tmp_path / "run").exists()


def test_a_dataset_or_scorer_at_fault_is_told(tmp_path, services, call):
    mine = write_experiment(tmp_path, services)
    mine.write_text(
        mine.read_text() + '\n[[require]]\nscorer = "nowhere:None"\nmeasure = "x"\nmin = 1\n'
    )
    assert "nowhere" in call("check", mine, "--offline", code=2).stderr

    (tmp_path / "cases.jsonl").write_text("{}\n")
    assert "cases.jsonl:1" in call("check", mine, "--offline", code=2).stderr


def test_the_bundled_web_is_asked_without_a_key(tmp_path, services, call, monkeypatch):
    mine = write_experiment(tmp_path, services)
    world = mine.read_text().replace("trials = 2", 'trials = 2\nrecord_from = "world"')
    chain = f'{{ provider = "serper", endpoint = "{services.url}/search" }}'
    mine.write_text(world.replace(chain, '"serper"'))
    monkeypatch.delenv("SERPER_API_KEY")
    told = json.loads(call("check", mine, "--json", code=1).stdout)

    assert one(told, "searches")["key"] == "none needed"
    assert one(told, "searches")["is_reachable"] is True
