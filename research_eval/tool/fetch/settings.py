"""What a user may set about fetching: the SSRF guard, caps, politeness."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from research_eval.schema import Record

__all__ = ["FetchSettings"]


_ANY = "any"


def _as_list(value: object) -> object:
    """Return one value as a list of one, so that a list of one may be written without brackets."""
    return (value,) if isinstance(value, str | int) and not isinstance(value, bool) else value


def _as_ports(value: object) -> object:
    """Return the ports that `value` names; `any`, which TOML needs a word for, is `None`."""
    return None if value == _ANY else _as_list(value)


Host = Annotated[str, Field(pattern=r"^[^\s/?#@]+(/\d+)?$")]
Hosts = Annotated[
    tuple[Host, ...], BeforeValidator(_as_list, json_schema_input_type=Host | tuple[Host, ...])
]
Port = Annotated[int, Field(ge=1, le=65_535)]
Ports = Annotated[
    tuple[Port, ...] | None,
    BeforeValidator(_as_ports, json_schema_input_type=Literal["any"] | Port | tuple[Port, ...]),
]


class FetchSettings(Record):
    """How far `fetch` may go, how long it may take and how it behaves towards servers."""

    allow_hosts: Hosts | None = None
    """Hosts that may be opened; `None` is every host. `example.org` is that host alone,
    `.example.org` is the domain and all below it."""
    deny_hosts: Hosts = ()
    """Hosts that may not be opened, in the same form; they win over `allow_hosts`."""
    allow_private: Hosts = ()
    """Hosts or networks (`127.0.0.1`, `.intranet.example`, `10.0.0.0/8`) that may be opened although
    their addresses are not public."""
    ports: Ports = (80, 443)
    """Ports that may be dialled; `any` (in Python also `None`) is every port."""
    max_redirects: int = 5
    """Redirects that one fetch follows."""
    max_wire_bytes: int = 5_000_000
    """Most bytes taken from the network for one document."""
    max_body_bytes: int = 5_000_000
    """Most bytes of a document after decompression; what lies behind is cut off."""
    max_pdf_bytes: int = 20_000_000
    """The same two caps for a PDF, which is useless when it is cut."""
    connect_timeout_s: float = 5.0
    read_timeout_s: float = 10.0
    """Longest silence of a server."""
    deadline_s: float = 30.0
    """Longest time for one fetch, redirects and waiting for a server's `Retry-After` included."""
    max_length_limit: int = 50_000
    """Most characters of a page that one call gives to the model."""
    user_agent: str = "research-eval"
    """How `fetch` names itself to servers."""
    accept_language: str | None = None
    """Languages to ask for, in the form of the HTTP header."""
    robots: bool = False
    """Whether pages that a site's robots.txt closes to `user_agent` are left alone."""
    host_interval_s: float = 0.5
    """Least time between two requests to one host."""
    retry_after_max_s: float = 10.0
    """Longest `Retry-After` that is waited for; a longer one is reported to the model."""
    keep_cookies: bool = False
    """Whether cookies that a site sets are sent back to it."""
    proxy: str | None = None
    """A proxy to go through; it then resolves names, and must itself refuse private addresses."""
    extractor: str = "default"
    """Who turns HTML into Markdown: `default`, `trafilatura`, an entry point, or
    `package.module:name`."""
