"""What a user may set about a model."""

import pytest
from pydantic import ValidationError

from research_eval.model import ModelSettings


def test_a_trial_s_seed_is_its_own_and_the_same_in_every_replay():
    settings = ModelSettings(seed="trial")

    first, again, other = (settings.sampling_seed(case) for case in ("a/1", "a/1", "a/2"))

    assert first == again
    assert first != other
    assert 0 <= first < 2**31


@pytest.mark.parametrize(("seed", "sent"), [(7, 7), (None, None)])
def test_a_fixed_seed_is_sent_as_it_is(seed, sent):
    assert ModelSettings(seed=seed).sampling_seed("a/1") == sent


def test_reference_agents_are_told_from_models():
    assert ModelSettings(name="reference:honest").is_reference_agent
    assert not ModelSettings(name="openai:gpt-5-mini").is_reference_agent


@pytest.mark.parametrize("field", ["max_token", "temprature", "Name"])
def test_a_misspelt_setting_is_an_error(field):
    with pytest.raises(ValidationError, match=field):
        ModelSettings(**{field: 1})
