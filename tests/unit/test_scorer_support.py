"""RED, GREEN and UNDECIDED follow from words, numbers, names, quotations and denials."""

import pytest

from research_eval.scorer.support import PageText, SupportSettings, judge_support

PAGE = PageText(
    "Morvane Bridge\nThe Morvane bridge opened on 14 May 1907 after six years of work. "
    "It was designed by Agda Vane and cost 2.4 million crowns. It spans the sound in nine arches. "
    "The road on it is narrow. The toll for a car is 4.50 crowns since 1996. "
    "Some 1,482 cars cross daily. In 2018–19 the deck was renewed. Boats pass below. "
    "Lamps were added. Benches too. A small museum shows tools. Pedestrians do not pay. "
    "The authority says: “No vehicle above twelve tonnes may use the lower deck at night.”"
)


def level(claim, **settings):
    return judge_support(claim, PAGE, SupportSettings(**settings)).level


@pytest.mark.parametrize(
    "claim",
    [
        "The Morvane bridge opened on 14 May 1907.",
        "The toll for a car is 4.50 crowns.",
        "The bridge, designed by Agda Vane, cost 2,400,000 crowns.",
        "Daily 1482 cars cross the bridge.",
        "Pedestrians do not pay.",
        "The deck was renewed in 2018-2019.",
        'The authority says: "No vehicle above twelve tonnes may use the lower deck at night."',
    ],
)
def test_what_the_page_says_in_its_words_is_green(claim):
    assert level(claim) == "green"


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("The Morvane bridge opened on 14 May 1917.", "number 1917"),
        ("The toll for a car is 4.75 crowns.", "number 4.75"),
        ("Quillvane retries each queued job with growing pauses.", "words"),
        ('The authority says: "Every driver shall always obey our friendly wardens."', "quotation"),
    ],
)
def test_what_the_page_lacks_is_red(claim, reason):
    verdict = judge_support(claim, PAGE)

    assert verdict.level == "red"
    assert reason in verdict.reason


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("Pedestrians pay in the small museum.", "denies"),
        ("The bridge opened after 4.50 years of work on 14 May 1907.", "elsewhere"),
        ("The Morvane bridge opened on 14 May 1907, said Olla Brisk.", "names"),
        ("Agda Vane celebrated the wonderful harbour festival near Morvane.", "some of the words"),
        (
            'It says "No vehicle above twenty tonnes may use the lower deck at night."',
            "not verbatim",
        ),
    ],
)
def test_what_words_cannot_settle_is_undecided(claim, reason):
    verdict = judge_support(claim, PAGE)

    assert verdict.level == "undecided"
    assert reason in verdict.reason


def test_a_quotation_may_leave_words_out():
    assert level('It says "No vehicle above twelve tonnes ... lower deck at night."') != "red"


def test_a_number_that_claims_to_be_rough_is_not_looked_for():
    assert level("Nearly 1,500 cars cross the bridge daily.") != "red"
    assert level("Exactly 1,500 cars cross the bridge daily.") == "red"


def test_small_whole_numbers_are_not_looked_for():
    assert level("The bridge opened after 7 years of work.") != "red"


def test_what_a_cut_text_lacks_the_page_may_hold():
    verdict = judge_support("The toll for a car is 4.75 crowns.", PAGE, is_whole=False)

    assert verdict.level == "undecided"
    assert verdict.reason.startswith("the text was cut")


def test_thresholds_can_be_set():
    claim = "Agda Vane celebrated the wonderful harbour festival near Morvane."

    assert level(claim, red_below=0.9) == "red"


def test_an_empty_page_supports_nothing_and_says_so():
    page = PageText(" \n")

    assert page.is_empty
    assert judge_support("The toll is high.", page).level == "red"


def test_japanese_is_compared_by_pairs_of_characters():
    page = PageText("モルヴァーネ橋は1907年5月14日に開通した。設計は土木局が担当した。")

    assert judge_support("モルヴァーネ橋は1907年に開通した。", page).level == "green"
    assert judge_support("モルヴァーネ橋は1917年に開通した。", page).level == "red"
    assert judge_support("灯台の高さは公表されていない。", page).level == "red"
