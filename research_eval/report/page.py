"""What every page is made with: templates that escape whatever they show."""

from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from research_eval.schema.display import visible

__all__ = ["page_environment", "template_text"]


def template_text(name: str) -> str:
    """Return a file among the templates."""
    return files("research_eval.report").joinpath("templates", name).read_text(encoding="utf-8")


def page_environment() -> Environment:
    """Return where templates are rendered."""
    return Environment(
        loader=FunctionLoader(template_text),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _shown(value: object) -> object:
    """Return words without characters that act instead of being seen; markup of ours as it is."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
