"""Files about the project agree with pyproject.toml and with the forms that sites read."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))


@pytest.mark.parametrize(
    ("schema", "paths"),
    [
        ("vendor.citation-file-format", [ROOT / "CITATION.cff"]),
        ("vendor.github-issue-forms", FORMS),
    ],
)
def test_a_site_can_read_it(schema, paths):
    words = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *map(str, paths)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)

    assert (done.returncode, bool(paths)) == (0, True), done.stdout + done.stderr


def test_the_citation_is_of_this_version():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))

    assert (cited["version"], cited["license"], cited["abstract"]) == (
        PROJECT["version"], PROJECT["license"], PROJECT["description"],
    )  # fmt: skip


def test_the_image_runs_the_command_as_a_user_without_rights():
    lines = (ROOT / "Dockerfile").read_text("utf-8").splitlines()
    final = lines[max(n for n, line in enumerate(lines) if line.startswith("FROM ")) :]
    users = [line.split()[1] for line in final if line.startswith("USER ")]

    assert users
    assert users[-1] not in {"root", "0"}
    assert f'ENTRYPOINT ["{next(iter(PROJECT["scripts"]))}"]' in final


@pytest.mark.parametrize("page", ["SECURITY.md", "docs/README.md", "docs/release.md"])
def test_links_and_files_of_a_page_exist(page):
    text = (ROOT / page).read_text("utf-8")

    assert [
        link for link in re.findall(r"\]\(([^)#]+)", text)
        if "://" not in link and not ((ROOT / page).parent / link).exists()
    ] == []  # fmt: skip


def test_the_tool_that_builds_the_packages_has_a_pin():
    assert re.search(r"^hatchling==", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE)
