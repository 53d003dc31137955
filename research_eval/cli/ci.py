"""`research-eval ci`: everything that the CI of a gate, prompt or agent asks, as plain commands in a row."""

import click

from research_eval.cli.ci_comment import comment
from research_eval.cli.ci_run import run

__all__ = ["ci"]


@click.group()
def ci() -> None:
    """Check a change of a gate, a prompt or an agent against the branch it goes to."""


ci.add_command(run)
ci.add_command(comment)
