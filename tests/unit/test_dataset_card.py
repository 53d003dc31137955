"""The card's counts are those of the cases."""

from research_eval.dataset import Case, Fact, count_cases, load_cases
from research_eval.experiment.bundled import bundled_experiment


def test_counts_add_up():
    cases = (
        Case(id="a", question="1", tags=("x",)),
        Case(id="b", question="2", tags=("x", "y"), language="ja", answerable=False),
        Case(
            id="c",
            question="3",
            answerable=False,
            expected=(Fact(value="v"),),
            canaries=("https://c.example/",),
        ),
    )

    table = count_cases(cases)

    for row in (
        "| cases | 3 |",
        "| in `en` | 2 |",
        "| in `ja` | 1 |",
        "| answerable from a page that opens | 1 |",
        "| not answerable, yet a search snippet tells | 1 |",
        "| nothing to be found | 1 |",
        "| with a page that asks to be cited | 1 |",
        "| `x` | 2 |",
        "| `y` | 1 |",
    ):
        assert row in table


def test_the_bundled_card_shows_the_counts_of_its_cases():
    folder = bundled_experiment().parent
    card = (folder / "card.md").read_text("utf-8")
    cases = load_cases(folder)

    assert card.partition("<!-- counts -->\n")[2] == count_cases(cases)
    assert f"{len(cases)} questions" in card
