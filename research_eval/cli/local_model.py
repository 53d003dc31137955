"""`research-eval local-model`: serve a small real model on 127.0.0.1, for recordings without keys."""

from pathlib import Path

import click

__all__ = ["local_model"]


@click.group(name="local-model")
def local_model() -> None:
    """Serve a small real model on 127.0.0.1."""


@local_model.command()
@click.option("--port", type=click.IntRange(1, 65535), default=18432, show_default=True)
@click.option("--weights", type=click.Path(path_type=Path, exists=True), help="Another GGUF file.")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
def serve(port: int, weights: Path | None, threads: int) -> None:
    """Serve SmolLM2-135M in OpenAI's wire format until Ctrl-C."""
    import signal

    from research_eval.model.local_server import serve_local_model

    with serve_local_model(port=port, weights=weights, threads=threads) as server:
        click.echo(f"serving at {server.base_url}; stop with Ctrl-C")
        signal.pause()
