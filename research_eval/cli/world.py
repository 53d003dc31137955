"""`research-eval world`: serve the bundled web on this machine, or list its pages."""

import click

__all__ = ["world"]


@click.group()
def world() -> None:
    """Serve or list the bundled web: made-up sites, with search, for work without keys."""


@world.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="0 takes a free one.",
)
def serve(port: int) -> None:
    """Serve pages and searches on 127.0.0.1 until Ctrl-C."""
    import threading

    from research_eval.world import load_world, serve_world

    with serve_world(port) as server:
        base = server.base_url
        pages = len(load_world().library.pages)
        click.echo(f"serving {pages} pages; browse them at {base}/")
        click.echo('experiments: record_from = "world" brings this web by itself, without any key')
        click.echo("other programs, searches with any key:")
        click.echo(f"  Serper's format  POST {base}/search")
        click.echo(f"  Brave's format   GET  {base}/res/v1/web/search")
        click.echo(f"other programs, pages: curl -x {base} http://www.skerravoe.example/")
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            click.echo("stopped")


@world.command()
@click.option("--host", help="Only the pages of this host.")
def ls(host: str | None) -> None:
    """Print one line a page: URL, how it is served, encoding, title."""
    from research_eval.errors import ConfigError
    from research_eval.world import load_world

    library = load_world().library
    if host is not None and host not in library.hosts:
        raise ConfigError(f"unknown host {host!r}; known: {', '.join(sorted(library.hosts))}")
    for page in library.on_host(host) if host else library.pages:
        click.echo(f"{page.url}\t{page.serve}\t{page.encoding}\t{page.title}")
