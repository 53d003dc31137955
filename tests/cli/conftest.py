"""Stored runs whose trials passed, failed, broke or never ran as a test says."""

import pytest

from research_eval.schema import ConfigurationSummary, ReplayTally, RunRecord

PAGE = "https://morvane.example/toll"
GOOD = f"The toll is 4 crowns ({PAGE})."
BAD = "The toll is 4 crowns (https://made-up.example/toll)."


def _configuration(name, model="reference:honest", **settings):
    return ConfigurationSummary(
        name=name,
        model=model,
        is_reference_agent=model.startswith("reference:"),
        gate="default@1",
        max_retries=0,
        max_turns=16,
        search="serper",
        tools=("fetch",),
        settings=settings,
    )


@pytest.fixture(scope="session")
def write_run(story, tmp_path_factory):
    """Write a run whose trials pass as told: configuration, then a row a case, a letter a trial.

    1 and 0 say whether it passed, e that it broke, m that a request without a recording stopped it,
    - that it is not in the journal.
    """

    def make(
        outcomes,
        folder=None,
        *,
        mode="replay",
        unrecorded=False,
        gate="default@1",
        planned=None,
        **kw,
    ):
        folder = folder or tmp_path_factory.mktemp("run")
        trials = []
        for configuration, rows in outcomes.items():
            for number, row in enumerate(rows, start=1):
                for trial, outcome in enumerate(row, start=1):
                    if outcome == "-":
                        continue
                    told = story().fetch(PAGE, "The toll is 4 crowns.")
                    told.answer(GOOD if outcome == "1" else BAD, last=True)
                    told.keep_pages(folder)
                    trials.append(
                        told.record(
                            case_id=f"case-{number}",
                            configuration=configuration,
                            trial=trial,
                            error="timeout" if outcome in "em" else None,
                            replay=ReplayTally(
                                unrecorded=int(unrecorded), misses=int(outcome == "m")
                            ),
                        )
                    )
        tables = outcomes.values()
        manifest = RunRecord(
            experiment="toll",
            experiment_sha256="0" * 64,
            dataset="toll",
            dataset_sha256="1" * 64,
            dataset_is_synthetic=True,
            cassettes_sha256="2" * 64,
            code_version=kw.get("code_version", "1"),
            packages={},
            model_mode=mode,
            web_mode=mode,
            seed=1,
            trials=max(len(row) for rows in tables for row in rows),
            case_ids=tuple(f"case-{n}" for n in range(1, (planned or max(map(len, tables))) + 1)),
            configurations=tuple(
                _configuration(c, kw.get("models", {}).get(c, "reference:honest"), gate=gate)
                for c in outcomes
            ),
        )
        (folder / "manifest.json").write_text(manifest.model_dump_json())
        lines = [t.model_dump_json(exclude_none=True) + "\n" for t in trials]
        (folder / "trials.jsonl").write_text("".join(lines))
        return str(folder)

    return make


@pytest.fixture
def make_run(write_run, tmp_path):
    """Write such a run under a name."""

    def make(name, outcomes, **kw):
        (tmp_path / name).mkdir()
        return write_run(outcomes, tmp_path / name, **kw)

    return make
