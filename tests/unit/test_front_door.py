"""What a user imports: the public names are these, and importing the package is cheap."""

import subprocess
import sys

import research_eval


def test_every_public_name_can_be_imported():
    for name in research_eval.__all__:
        assert getattr(research_eval, name) is not None


def test_names_and_their_places_agree():
    assert sorted(research_eval._PLACE_OF) == sorted(research_eval.__all__)


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(research_eval, "no_such_name")


def test_help_imports_no_heavy_library():
    code = (
        "import sys; from research_eval.cli.main import cli\n"
        "cli(['--help'], standalone_mode=False)\n"
        "heavy = {'pydantic', 'httpx', 'pandas', 'matplotlib', 'scipy', 'rich', 'pydantic_ai'}\n"
        "print('loaded:', sorted(heavy & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "loaded: []" in done.stdout
