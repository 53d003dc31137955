"""What a run found, in sentences that are computed from its table: a report begins with them."""

from collections.abc import Iterator, Sequence

from research_eval.analysis.ruling import p_text
from research_eval.report.view import ConfigurationView, Rate, RunView
from research_eval.report.wording import percent
from research_eval.schema.display import one_line

__all__ = ["finding", "in_order"]


def in_order(view: RunView) -> tuple[list[ConfigurationView], list[ConfigurationView]]:
    """Return the models and the reference agents, the best first attempt first."""
    scripts = [c for c in view.configurations if c.summary.is_reference_agent]
    models = [c for c in view.configurations if not c.summary.is_reference_agent]
    return sorted(models, key=_by_honesty), sorted(scripts, key=_by_honesty)


def _by_honesty(configuration: ConfigurationView) -> tuple[float, float]:
    first, final = (
        -1.0 if rate.value is None else rate.value
        for rate in (configuration.first_pass.conditional, configuration.final_pass.conditional)
    )
    return -first, -final


def finding(view: RunView) -> tuple[str, ...]:
    """Return what the numbers say, the most important sentence first."""
    models, scripts = in_order(view)
    known = [one for one in models if one.first_pass.conditional.n]
    if not models:
        sentences = [f"No model took part: {_agents(len(scripts))} alone ran, to calibrate."]
    elif not known:
        sentences = ["No trial of a model could be judged, so nothing is known of any."]
    else:
        sentences = [*_rates(known), *_differences(view), *_worst_kind(view, known)]
    if scripts and models:
        sentences.append(
            f"Beside them ran {_agents(len(scripts))}, which calibrate and rank nothing."
        )
    broken = sum(one.statuses["error"].value for one in view.configurations)
    missing = sum(one.statuses["not_run"].value for one in view.configurations)
    if broken:
        words = "trial ended" if broken == 1 else "trials ended"
        sentences.append(
            f"{broken} {words} in an error of the infrastructure and count for nothing."
        )
    if missing:
        sentences.append(f"{missing} of {view.manifest.planned} planned trials did not run.")
    return tuple(sentences)


def _agents(number: int) -> str:
    return f"{number} reference agent{'' if number == 1 else 's'}"


def _rate(rate: Rate) -> str:
    bounds = f"{100 * rate.low:.1f} to {100 * rate.high:.1f}"
    return f"{percent(rate.value)} ({rate.k} of {rate.n}, interval {bounds})"


def _rates(known: Sequence[ConfigurationView]) -> Iterator[str]:
    best, last = known[0], known[-1]
    first = best.first_pass.conditional
    told = f"The first answer of {_name(best)} cited only opened pages in {_rate(first)}"
    if len(known) == 1:
        yield f"{told} of its judged trials."
    elif last.first_pass.conditional.value == first.value:
        yield f"{told} of its judged trials, and so for all {len(known)} models: none is ahead."
    else:
        others = "" if len(known) == 2 else f", the lowest of {len(known)} models"
        yield f"{told} of its judged trials; that of {_name(last)} in {_rate(last.first_pass.conditional)}{others}."
    for one in known if len(known) <= 3 else (best, last):
        final = one.final_pass.conditional
        if one.summary.max_retries and one.repair.n:
            yield (
                f"Told what was wrong, {_name(one)} repaired {one.repair.k} of {one.repair.n} "
                f"rejected first answers and ended at {percent(final.value)}."
            )


def _differences(view: RunView) -> Iterator[str]:
    """Say which models differ from the first one, by the test that rules."""
    for comparison in view.differences:
        base, head = comparison.base, comparison.head
        entry = comparison.measures[0]
        if entry.difference is None or entry.interval is None:
            continue
        low, high = (100 * bound for bound in entry.interval)
        shown = entry.verdict in {"regression", "improvement"}
        chance = "" if entry.p is None else f", p {p_text(entry.p)}"
        yield (
            f"Between {one_line(head, 60)} and {one_line(base, 60)}, {entry.cases} cases show "
            f"{'a' if shown else 'no'} difference of first answers: {100 * entry.difference:+.1f} "
            f"points, interval {low:+.1f} to {high:+.1f}{chance}."
        )


def _worst_kind(view: RunView, known: Sequence[ConfigurationView]) -> Iterator[str]:
    labels = {kind.name: kind.label for kind in view.kinds}
    found = [
        (violation.first.k, violation.first.n, one, violation.kind)
        for one in known
        for violation in one.violations
        if violation.first.k
    ]
    if found:
        k, n, one, kind = max(found, key=lambda each: each[0] / each[1])
        yield (
            f"The most frequent violation is \N{LEFT DOUBLE QUOTATION MARK}{labels[kind]}"
            f"\N{RIGHT DOUBLE QUOTATION MARK}: {k} of {n} first answers of {_name(one)}."
        )


def _name(configuration: ConfigurationView) -> str:
    return one_line(configuration.name, 60)
