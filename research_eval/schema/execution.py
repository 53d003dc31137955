"""Where a run was executed, and what code its user plugged in."""

from research_eval.schema.record import Record

__all__ = ["Execution", "GitState", "PluginCode"]


class PluginCode(Record):
    """The source of something that a user plugged in."""

    sha256: str
    """Over the names and contents of all its modules."""
    modules: dict[str, str]
    """The SHA-256 of its own module, and of each that it imports from the same project."""


class GitState(Record):
    """The repository in which the experiment stands."""

    commit: str
    is_clean: bool
    """Whether no file that git knows differs from that commit."""


class Execution(Record):
    """One execution of a run, a line of `executions.jsonl`; it decides no result."""

    command: tuple[str, ...]
    """The words after `research-eval`; empty where a program asked."""
    folder: str
    """The working folder, from the top of the git repository on; `.` outside of one."""
    python: str
    platform: str
    git: GitState | None
    packages: dict[str, str]
    """Every installed distribution with its version."""
