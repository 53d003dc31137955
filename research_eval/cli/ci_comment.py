"""`research-eval ci comment`: publish a summary as the one comment of a pull or merge request."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from research_eval.errors import UsageError

if TYPE_CHECKING:
    import httpx

__all__ = ["comment"]

TIMEOUT_S = 30.0
PAGES = 20
"""Pages of 100 comments that are looked through for the earlier one."""
TOKENS = ("RESEARCH_EVAL_TOKEN", "GITHUB_TOKEN")


@click.command()
@click.argument("file", type=click.Path(path_type=Path), default="reports/ci/comment.md")
def comment(file: Path) -> int:
    """Publish FILE as the comment of this pull or merge request, in place of the earlier one.

    Reads GitHub's or GitLab's variables, and a token that may write comments from RESEARCH_EVAL_TOKEN
    or GITHUB_TOKEN. FILE may come from a job of strangers: it is text, and decides nothing else. On
    GitHub, in a workflow_run, the pull request is the open one whose head is the commit that was tested.
    """
    from research_eval.cli.ci_run import MARK, MOST_COMMENT_CHARS
    from research_eval.cli.lines import read_text

    text = _harmless(read_text(str(file)).removeprefix(MARK))[:MOST_COMMENT_CHARS]
    forge = _GitLab() if os.environ.get("GITLAB_CI") else _GitHub()
    with forge.client:
        done = forge.publish(f"{MARK}\n{text.strip()}\n", MARK)
    click.echo(done)
    return 0


PARTED = ("<", "@", "](", "][", "]:", "://", "www.")
"""Signs that make HTML, a mention, a link or an image; one without width parts them."""


def _harmless(text: str) -> str:
    """Return text in which nothing mentions somebody, leads anywhere or is HTML."""
    for signs in PARTED:
        text = text.replace(signs, f"{signs[0]}\u200b{signs[1:]}")
    return text


class _GitHub:
    """The comments of a pull request on GitHub."""

    def __init__(self) -> None:
        self.client = _client(
            _variable("GITHUB_API_URL", "https://api.github.com"),
            {"Authorization": f"Bearer {_token()}", "Accept": "application/vnd.github+json"},
        )
        self._repository = _variable("GITHUB_REPOSITORY")

    def publish(self, text: str, mark: str) -> str:
        """Write the comment, and say where it stands."""
        number = self._number()
        if number is None:
            return "no open pull request has this commit as its head: nothing was written"
        place = f"/repos/{self._repository}/issues/{number}/comments"
        for page in range(1, PAGES + 1):
            found = _ask(self.client, "GET", f"{place}?per_page=100&page={page}")
            for one in found:
                is_ours = one.get("user", {}).get("type") == "Bot"
                if is_ours and str(one.get("body", "")).startswith(mark):
                    path = f"/repos/{self._repository}/issues/comments/{int(one['id'])}"
                    return f"updated {_ask(self.client, 'PATCH', path, body=text)['html_url']}"
            if len(found) < 100:
                break
        return f"wrote {_ask(self.client, 'POST', place, body=text)['html_url']}"

    def _number(self) -> int | None:
        """Return the pull request that the event is of; of a workflow that ran, by its head."""
        path = Path(_variable("GITHUB_EVENT_PATH"))
        try:
            event = json.loads(path.read_bytes())
        except (OSError, ValueError) as exc:
            raise UsageError(f"GITHUB_EVENT_PATH: {path} cannot be read: {exc}") from exc
        if "pull_request" in event:
            return int(event["pull_request"]["number"])
        ran = event.get("workflow_run")
        if ran is None:
            raise UsageError("ci comment: the event is neither pull_request nor workflow_run")
        head = f"{ran['head_repository']['owner']['login']}:{ran['head_branch']}"
        path_of = f"/repos/{self._repository}/pulls?state=open&head={quote(head, safe=':')}"
        found = _ask(self.client, "GET", path_of)
        numbers = [one["number"] for one in found if one["head"]["sha"] == ran["head_sha"]]
        return int(numbers[0]) if numbers else None


class _GitLab:
    """The notes of a merge request on GitLab."""

    def __init__(self) -> None:
        self.client = _client(_variable("CI_API_V4_URL"), {"PRIVATE-TOKEN": _token()})
        project, number = _variable("CI_PROJECT_ID"), _variable("CI_MERGE_REQUEST_IID")
        self._place = (
            f"/projects/{quote(project, safe='')}/merge_requests/{quote(number, safe='')}/notes"
        )

    def publish(self, text: str, mark: str) -> str:
        """Write the note, and say which it is."""
        ours = _ask(self.client, "GET", "/user")["id"]
        for page in range(1, PAGES + 1):
            found = _ask(self.client, "GET", f"{self._place}?per_page=100&page={page}")
            for one in found:
                if one.get("author", {}).get("id") == ours and one["body"].startswith(mark):
                    path = f"{self._place}/{int(one['id'])}"
                    return f"updated note {_ask(self.client, 'PUT', path, body=text)['id']}"
            if len(found) < 100:
                break
        return f"wrote note {_ask(self.client, 'POST', self._place, body=text)['id']}"


def _client(url: str, headers: dict[str, str]) -> "httpx.Client":
    import httpx

    return httpx.Client(base_url=url, headers=headers, timeout=TIMEOUT_S)


def _ask(client: "httpx.Client", method: str, path: str, **body: str) -> Any:  # noqa: ANN401  # whatever JSON came
    """Return what the server says.

    Raises:
        UsageError: If it refuses, or cannot be reached.
    """
    import httpx

    try:
        answer = client.request(method, path.removeprefix("/"), json=body or None)
        answer.raise_for_status()
        return answer.json()
    except httpx.HTTPStatusError as exc:
        said = f"HTTP {exc.response.status_code}"
        hint = "; the token must be one that may write comments" * (
            exc.response.status_code in {401, 403}
        )
        raise UsageError(f"ci comment: {method} {path.partition('?')[0]}: {said}{hint}") from exc
    except (httpx.HTTPError, ValueError) as exc:
        raise UsageError(f"ci comment: {method} {path.partition('?')[0]}: {exc}") from exc


def _token() -> str:
    found = next((os.environ[name] for name in TOKENS if os.environ.get(name)), None)
    if found is None:
        raise UsageError(f"ci comment: no token: set {' or '.join(TOKENS)}")
    return found


def _variable(name: str, default: str | None = None) -> str:
    found = os.environ.get(name) or default
    if not found:
        raise UsageError(f"ci comment: {name} is not set: this is for a job of GitHub or GitLab")
    return found
