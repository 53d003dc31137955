"""Scenarios as files: what is read, and what is refused with its key."""

import pytest

from research_eval.errors import ConfigError
from research_eval.failover import bundled_scenarios, load_scenario

GOOD = """
title = "A title"
[load]
searches = 10
over_s = 10
[[provider]]
provider = "serper"
[[fault]]
channel = "search"
status = 503
between_s = [2, 4]
[expect]
served_share = ">= 0.5"
"""


def load(tmp_path, text: str):
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return load_scenario(path)


def test_a_scenario_is_named_after_its_file(tmp_path):
    scenario = load(tmp_path, GOOD)

    assert (scenario.name, scenario.title) == ("mine", "A title")
    assert scenario.expect[0].words == "served_share >= 0.5"
    assert scenario.expect[0].holds(0.5)
    assert not scenario.expect[0].holds(0.4)
    assert not scenario.expect[0].holds(None)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"serper"', '"nobody"', r"provider\.0: .*unknown provider 'nobody'"),
        ("searches = 10", "searches = 0", r"load\.searches"),
        ("status = 503", "status = 503\nnonsense = 1", r"fault\.0\.nonsense"),
        ('">= 0.5"', '"about half"', r"expect: .*no bound"),
        ("[load]", "[load", r"not TOML"),
        ("[[fault]]", "[resilience]\nrate = 1\n[[fault]]", r"rate"),
    ],
)
def test_what_is_wrong_is_named_by_file_and_key(tmp_path, old, new, said):
    with pytest.raises(ConfigError, match=said) as caught:
        load(tmp_path, GOOD.replace(old, new))

    assert "mine.toml" in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"nowhere\.toml: cannot be read"):
        load_scenario(tmp_path / "nowhere.toml")


def test_the_bundled_scenarios_cover_what_goes_wrong():
    expected = """
        alone_flaky alone_limit alone_pause always_slow both_down brownout empty_results
        even_spacing fallback_down flapping free_fallback from_bad_to_worse half_failing
        later_cold_start later_key_revoked later_no_shape later_quiet_day later_wide_chain malformed
        niche_queries outage pauses_for_breath quota_at_noon short_pause slow_death slow_fallback
        small_cache stalls stampede storm_429 strict_server third_saves three_in_turn unsaid_limit
    """

    assert list(bundled_scenarios()) == expected.split()
