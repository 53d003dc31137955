"""Turn a page source into the HTML that a visitor of its host gets."""

import json
from functools import cache
from pathlib import Path

import jinja2

from research_eval.world.library import Library, host_of
from research_eval.world.markup import to_html, to_text
from research_eval.world.page import Host, Page

__all__ = ["render_page", "render_special", "visible_text"]

_TEMPLATES = Path(__file__).parent / "templates"
_MENU = 7


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


def visible_text(page: Page) -> str:
    """Return the title and the text that a reader of the page sees."""
    return f"{page.title}\n{to_text(page.body)}"


def render_page(page: Page, library: Library) -> str:
    """Return the page in the template of its host."""
    host = library.hosts[host_of(page.url)]
    return _render(f"{host.style}.html", page, host, library)


def render_special(name: str, page: Page, library: Library) -> str:
    """Return what stands in the page's place: `not_found`, `shell`, `bot_wall` and the like."""
    return _render(f"special/{name}.html", page, library.hosts[host_of(page.url)], library)


def _render(template: str, page: Page, host: Host, library: Library) -> str:
    return (
        _environment()
        .get_template(template)
        .render(
            page=page,
            host=host,
            language=page.language or host.language,
            charset=page.encoding if page.declared_in == "meta" else None,
            menu=_menu(page, library),
            content=to_html(page.body),
            first_line=to_text(page.body).partition("\n")[0][:150],
            words=json.dumps(page.title, ensure_ascii=True),
        )
    )


def _menu(page: Page, library: Library) -> list[tuple[str, str]]:
    """Return title and URL of the host's other pages that its navigation shows."""
    others = [
        other
        for other in library.on_host(host_of(page.url))
        if other.url != page.url and other.index and other.serve in {"page", "pdf"}
    ]
    return [(other.title, other.url) for other in others[:_MENU]]
