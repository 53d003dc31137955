"""A comparison as a page of its own: what changed, in which answers, and what else differs."""

from collections import Counter

from research_eval.analysis.comparison import CompareOutput
from research_eval.analysis.ruling import ORDER, p_text
from research_eval.report.page import page_environment, template_text

__all__ = ["render_comparison"]

MOST_FLIPS = 200
"""Changed trials of one comparison that are shown; the worse ones stand first."""


def render_comparison(found: CompareOutput) -> bytes:
    """Return the page: it opens from disk, loads nothing and runs nothing.

    Args:
        found: A paired comparison, with the answers of changed trials.
    """
    environment = page_environment()
    environment.filters |= {"p": p_text, "words": lambda text: text.replace("_", " ")}
    lead = _lead(found)
    page = environment.get_template("compare.html.j2").render(
        found=found,
        title=f"{lead} research_eval",
        lead=lead,
        level=f"{100 * (1 - found.settings.alpha):g} %",
        most=MOST_FLIPS,
        style=template_text("style.css"),
    )
    return page.encode(errors="replace")


def _lead(found: CompareOutput) -> str:
    """Return what was found, in one sentence."""
    entries = [entry for one in found.comparisons for entry in one.measures]
    counts = Counter(entry.verdict for entry in entries)
    parts = [f"{counts[v]} {v.replace('_', ' ')}" for v in ORDER if counts[v]]
    flips = [flip for one in found.comparisons for flip in one.flips]
    worse = sum(flip.is_worse for flip in flips)
    return (
        f"Of {len(entries)} measures compared: {', '.join(parts) or 'none'};"
        f" {worse} values of trials got worse, {len(flips) - worse} better."
    )
