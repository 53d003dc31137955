"""Read the page sources that the package carries: one folder a host, one file a page."""

import tomllib
from functools import cache
from pathlib import Path

from pydantic import ValidationError

from research_eval.errors import ConfigError
from research_eval.world.page import Host, Page

__all__ = ["Library", "load_library"]

PAGES = Path(__file__).parent / "pages"
_FENCE = "+++"


class Library:
    """Hosts and pages of a web, in the order of their addresses."""

    def __init__(self, hosts: dict[str, Host], pages: tuple[Page, ...]) -> None:
        self.hosts = hosts
        self.pages = tuple(sorted(pages, key=lambda page: page.url))

    def on_host(self, host: str) -> tuple[Page, ...]:
        """Return the pages of `host`."""
        return tuple(page for page in self.pages if host_of(page.url) == host)


def host_of(url: str) -> str:
    """Return the host of an absolute URL, with its port where it names one."""
    return url.partition("://")[2].partition("/")[0]


@cache
def load_library(folder: Path = PAGES) -> Library:
    """Return the pages under `folder`.

    Raises:
        ConfigError: If a source file is malformed, as `file: why`.
    """
    hosts = _load_hosts(folder / "hosts.toml")
    pages = tuple(parse_page(file) for file in sorted(folder.glob("*/*.md")))
    for page in pages:
        if host_of(page.url) not in hosts:
            raise ConfigError(f"{folder / 'hosts.toml'}: no host for {page.url}")
    return Library(hosts, pages)


def parse_page(file: Path) -> Page:
    """Return the page in `file`: TOML between two lines of `+++`, then its text.

    Raises:
        ConfigError: If the file is malformed, as `file: why`.
    """
    opening, head, body = (*file.read_text("utf-8").split(f"{_FENCE}\n", 2), "", "")[:3]
    if opening or not head:
        raise ConfigError(f"{file}: expected TOML between two lines of {_FENCE}")
    try:
        return Page.model_validate({**tomllib.loads(head), "body": body.strip("\n")})
    except (tomllib.TOMLDecodeError, ValidationError) as exc:
        raise ConfigError(f"{file}: {exc}") from exc


def _load_hosts(file: Path) -> dict[str, Host]:
    try:
        table = tomllib.loads(file.read_text("utf-8"))
        return {name: Host.model_validate(host) for name, host in table.items()}
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as exc:
        raise ConfigError(f"{file}: {exc}") from exc
