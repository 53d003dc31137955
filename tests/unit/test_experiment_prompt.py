"""Words of a prompt may stand in a file: it takes the place of ours or follows it, and is what was measured."""

import pytest

from research_eval.agent.tool_set import ToolSet
from research_eval.errors import ConfigError
from research_eval.experiment import load_experiment
from research_eval.testing import ScriptedTool
from research_eval.tool.kit import ToolKit

HEAD = 'name = "m"\ndataset = "cases.jsonl"\ncassettes = "cassettes"\n'
ONE = '[[configuration]]\nname = "a"\nmodel = "reference:honest"\n'


def load(tmp_path, text):
    path = tmp_path / "e.toml"
    path.write_text(HEAD + text, "utf-8")
    return load_experiment(path).settings


def prompt_of(settings):
    kit = ToolKit(fetch=ScriptedTool("fetch", [], ["url"]))
    return ToolSet(kit).system_prompt(settings.configuration[0].agent.prompt)


def test_a_file_takes_the_place_of_the_prompt(tmp_path):
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "mine.md").write_text("Tools:\n{tools}\n{style}\n\nKeep {braces}.\n")
    line = 'agent.prompt = { system = { file = "prompts/mine.md" }, answer_style = "report" }\n'
    told = prompt_of(load(tmp_path, ONE + line))

    assert told.startswith("Tools:\n- `fetch`")
    assert told.endswith("Keep {braces}.")
    assert "{style}" not in told
    assert "research assistant" not in told


def test_a_file_follows_the_prompt(tmp_path):
    (tmp_path / "more.md").write_text("Answer in rhymes.\n")
    plain = prompt_of(load(tmp_path, ONE))
    told = prompt_of(load(tmp_path, ONE + 'agent.prompt.extra.file = "more.md"\n'))

    assert told == f"{plain}\nAnswer in rhymes."


def test_the_text_is_part_of_what_was_measured_and_the_file_is_not(tmp_path):
    (tmp_path / "a.md").write_text("One.")
    (tmp_path / "b.md").write_text("One.")
    with_a = load(tmp_path, ONE + 'agent.prompt.system.file = "a.md"\n').digest()
    with_b = load(tmp_path, ONE + 'agent.prompt.system.file = "b.md"\n').digest()
    (tmp_path / "a.md").write_text("Two.")

    assert with_a == with_b == load(tmp_path, ONE + 'agent.prompt.system = "One."\n').digest()
    assert load(tmp_path, ONE + 'agent.prompt.system.file = "a.md"\n').digest() != with_a


def test_experiments_without_a_prompt_of_their_own_are_what_they_were(tmp_path):
    assert "system" not in load(tmp_path, ONE).configuration[0].agent.model_dump()["prompt"]


def test_a_matrix_over_prompts_is_named_after_the_files(tmp_path):
    for name in ("plain", "strict"):
        (tmp_path / f"{name}.md").write_text(f"Be {name}.")
    axis = 'vary.agent.prompt.system = [{ file = "plain.md" }, { file = "strict.md" }]\n'
    settings = load(tmp_path, f'[[matrix]]\nmodel = "reference:honest"\n{axis}')

    found = [(one.name, one.agent.prompt.system) for one in settings.configuration]
    assert found == [("plain", "Be plain."), ("strict", "Be strict.")]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ('{ file = "none.md" }', "none.md: cannot be read: No such file"),
        ('{ file = "../outside.md" }', "../outside.md: is outside the experiment's folder"),
        ('{ file = "link.md" }', "link.md: is outside the experiment's folder"),
        ('{ file = "/etc/hostname" }', "/etc/hostname: is outside the experiment's folder"),
        ('{ file = "." }', ".: cannot be read: Is a directory"),
        ('{ file = "empty.md" }', "empty.md: holds 0 characters"),
        ('{ file = "latin.md" }', "latin.md: expected UTF-8"),
        ('{ file = "a\\u0000b" }', "expected the path of a file"),
        ("{ file = 5 }", "5: expected the path of a file"),
        ('{ fiel = "empty.md" }', "expected a valid string"),
    ],
)
@pytest.mark.parametrize("name", ["system", "extra"])
def test_a_file_that_is_outside_or_cannot_be_read_is_refused(tmp_path, name, value, says):
    folder = tmp_path / "here"
    folder.mkdir()
    (tmp_path / "outside.md").write_text("x")
    (folder / "link.md").symlink_to(tmp_path / "outside.md")
    (folder / "empty.md").write_text(" \n")
    (folder / "latin.md").write_bytes(b"\xe9")

    with pytest.raises(ConfigError) as caught:
        load(folder, f"[defaults]\nagent.prompt.{name} = {value}\n{ONE}")

    (fault,) = caught.value.faults
    assert fault.startswith(f"{folder / 'e.toml'}:5: defaults.agent.prompt.{name}")
    assert says in fault


@pytest.mark.parametrize(
    "setting", ['form = "short"', 'answer_style = "report"', 'answer_language = "French"']
)
def test_a_setting_without_effect_is_refused(tmp_path, setting):
    with pytest.raises(ConfigError, match=f"{setting.partition(' ')[0]}"):
        load(tmp_path, f'{ONE}agent.prompt = {{ system = "Mine.", {setting} }}\n')
