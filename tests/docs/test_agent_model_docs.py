"""The pages on agent, models and library: their Python runs, and no setting is missing."""

import re
from pathlib import Path

import pytest

from research_eval.agent import AgentSettings, PromptSettings
from research_eval.errors import ModelError
from research_eval.model import ModelSettings
from research_eval.model.reference import REFERENCE_AGENTS
from research_eval.schema import TrialStatus

ROOT = Path(__file__).resolve().parents[2] / "docs"
AGENT, LIBRARY, MODELS = (
    (ROOT / name).read_text(encoding="utf-8") for name in ("agent.md", "library.md", "models.md")
)
FENCES = re.findall(r"```python\n(.*?)```", AGENT + LIBRARY, re.DOTALL)


@pytest.mark.sockets
@pytest.mark.parametrize("code", FENCES, ids=range(len(FENCES)))
def test_an_example_runs(code):
    exec(compile(code, "docs", "exec"), {"__name__": "docs"})


@pytest.mark.parametrize(
    ("settings", "page"),
    [(AgentSettings, AGENT), (PromptSettings, AGENT), (ModelSettings, MODELS)],
    ids=["agent", "prompt", "model"],
)
def test_every_setting_is_named(settings, page):
    missing = [name for name in settings.model_fields if name not in page]

    assert missing == []


def test_every_reference_agent_status_and_kind_of_failure_is_named():
    kinds = ModelError.__init__.__annotations__["kind"].__args__

    assert [name for name in REFERENCE_AGENTS if f"`{name}`" not in MODELS] == []
    assert [kind for kind in kinds if f"`{kind}`" not in MODELS] == []
    assert [status for status in TrialStatus.__args__ if f"`{status}`" not in AGENT] == []


def test_every_provider_is_named_with_its_key():
    from research_eval.model.wire import PROVIDERS

    for provider in PROVIDERS.values():
        assert f"`{provider.name}`" in MODELS
        assert provider.key_name is None or f"`{provider.key_name}`" in MODELS


def test_every_note_of_a_reply_is_explained():
    """The notes that the model clients write, and no other."""
    folder = ROOT.parent / "research_eval" / "model" / "wire"
    code = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    table = MODELS.partition("| note | meaning |")[2].partition("\n\n")[0]
    explained = set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))
    written = set(re.findall(r"(?:notes|noted)\.append\(\"(\w+)\"\)", code))

    assert written <= explained
    assert [note for note in explained if f'"{note}"' not in code] == []


def test_every_kind_of_error_of_a_trial_is_explained():
    table = AGENT.partition("## What an error says")[2].partition("## Settings")[0]
    own = ("cassette_miss", "cassette_damaged", "blocked", "agent", "plugin", "internal")
    kinds = [*ModelError.__init__.__annotations__["kind"].__args__, *own]

    assert [kind for kind in kinds if kind != "context" and f"`{kind}`" not in table] == []
