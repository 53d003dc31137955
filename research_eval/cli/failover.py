"""`research-eval failover`: measure how a chain of search providers copes with failures."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from research_eval.failover import Metrics, Scenario

__all__ = ["failover"]


@click.group()
def failover() -> None:
    """Measure how a chain of search providers copes with failures."""


@failover.command("ls")
def list_scenarios() -> None:
    """List the bundled scenarios."""
    from research_eval.failover import bundled_scenarios

    for name, scenario in bundled_scenarios().items():
        click.echo(f"{name:16}{scenario.title}")


@failover.command("run")
@click.argument("scenario", nargs=-1)
@click.option("--all", "is_all", is_flag=True, help="Run every bundled scenario.")
@click.option("--out", type=click.Path(path_type=Path), help="Write report and pictures here.")
@click.option("--variant", "variants", multiple=True, help="Run under this variant; repeatable.")
def run(
    scenario: tuple[str, ...], is_all: bool, out: Path | None, variants: tuple[str, ...]
) -> int:
    """Run scenarios: names of bundled ones, or paths of TOML files.

    Exits 1 if a promise of the default settings does not hold.
    """
    from research_eval.failover import COMPARED, compare
    from research_eval.failover.report import files_of, write_files
    from research_eval.failover.table import markdown_table

    chosen = _chosen(scenario, is_all)
    pictures: dict[str, bytes] = {}
    rows: list[Metrics] = []
    for trace, metrics in compare(chosen, variants or COMPARED):
        rows.append(metrics)
        if out is not None and metrics.scenario not in pictures:
            from research_eval.failover.picture import draw_timeline

            pictures[metrics.scenario] = draw_timeline(trace)
    for one in chosen:
        click.echo(f"{one.name}: {one.title}\n")
        click.echo(markdown_table([m for m in rows if m.scenario == one.name]))
    if out is not None:
        write_files(out, files_of(chosen, rows, pictures))
        click.echo(f"written to {out}")
    return _judge(chosen, rows)


@failover.command("options")
@click.argument("scenario", nargs=-1)
@click.option("--out", type=click.Path(path_type=Path), help="Write tables here.")
def options(scenario: tuple[str, ...], out: Path | None) -> None:
    """Measure the effect of each option alone.

    The base has all options off.
    """
    from research_eval.failover import compare, options
    from research_eval.failover.report import files_of, write_files
    from research_eval.failover.table import markdown_table

    chosen = _chosen(scenario, is_all=not scenario)
    rows = [metrics for _, metrics in compare(chosen, options())]
    for one in chosen:
        click.echo(f"{one.name}: {one.title}\n")
        click.echo(markdown_table([m for m in rows if m.scenario == one.name]))
    if out is not None:
        write_files(out, files_of(chosen, rows, {}))
        click.echo(f"written to {out}")


@failover.command("sweep")
@click.argument("scenario", nargs=-1)
@click.option("--set", "setting", required=True, help="For instance failure_threshold=1..10.")
@click.option("--out", type=click.Path(path_type=Path), help="Write table and curves here.")
def sweep(scenario: tuple[str, ...], setting: str, out: Path | None) -> None:
    """Run scenarios with one setting at each of several values."""
    from research_eval.failover import parse_sweep, sweep as swept
    from research_eval.failover.report import files_of, write_files
    from research_eval.failover.table import markdown_table

    name, values = parse_sweep(setting)
    chosen = _chosen(scenario or ("outage",), is_all=False)
    rows = [metrics for _, metrics in swept(chosen, name, values)]
    pictures: dict[str, bytes] = {}
    for one in chosen:
        mine = [metrics for metrics in rows if metrics.scenario == one.name]
        click.echo(f"{one.name}: {one.title}\n")
        click.echo(markdown_table(mine))
        if out is not None:
            from research_eval.failover.picture import draw_sweep

            pictures[one.name] = draw_sweep(name, values, mine, f"{one.title}: {name}")
    if out is not None:
        write_files(out, files_of(chosen, rows, pictures))
        click.echo(f"written to {out}")


@failover.command("versus")
@click.argument("scenario", nargs=-1)
@click.option("--seeds", default="1..10", show_default=True, help="Seeds of the random load.")
@click.option("--settings", default="default", show_default=True, help="The variant to judge.")
@click.option(
    "--against", default="original", show_default=True, help="The variant to compare with."
)
def versus(scenario: tuple[str, ...], seeds: str, settings: str, against: str) -> int:
    """Compare two variants over many seeds: searches served, time to results.

    Every bundled scenario is compared unless some are named. Exits 1 if the first variant serves
    fewer searches than the second in any scenario, or is slower where a fallback exists.
    """
    from research_eval.failover.versus import pairings, parse_seeds, versus_table

    numbers = parse_seeds(seeds)
    found = pairings(_chosen(scenario, is_all=not scenario), numbers, settings, against)
    click.echo(versus_table(found))
    worse = [pair.scenario for pair in found if not pair.is_good]
    if worse:
        click.echo(f"{settings} is worse than {against} in {', '.join(worse)}", err=True)
    return 1 if worse else 0


def _chosen(names: tuple[str, ...], is_all: bool) -> "list[Scenario]":
    from research_eval.errors import ConfigError
    from research_eval.failover import bundled_scenarios, load_scenario

    bundled = bundled_scenarios()
    if is_all:
        return list(bundled.values())
    if not names:
        raise ConfigError("name a scenario, or give --all; `research-eval failover ls` lists them")
    found = []
    for name in names:
        if name in bundled:
            found.append(bundled[name])
        elif Path(name).suffix == ".toml":
            found.append(load_scenario(Path(name)))
        else:
            raise ConfigError(f"unknown scenario {name!r}; known: {', '.join(bundled)}")
    return found


def _judge(chosen: "list[Scenario]", rows: "list[Metrics]") -> int:
    from research_eval.failover import broken

    code = 0
    for one in chosen:
        for metrics in rows:
            if metrics.scenario == one.name and metrics.variant == "default":
                for expected, value in broken(one, metrics):
                    click.echo(
                        f"{one.name}: {expected.words} does not hold, it is {value}", err=True
                    )
                    code = 1
    return code
