"""Only this package reads the environment, and only for what looks like a secret."""

from research_eval.experiment import known_secrets, read_secrets


def test_secrets_are_told_by_the_end_of_their_name():
    environ = {
        "SERPER_API_KEY": " k1 ",
        "HF_TOKEN": "t",
        "HOME": "/home/me",
        "KEYBOARD": "us",
        "EMPTY_KEY": "",
    }

    assert read_secrets(environ) == {"SERPER_API_KEY": "k1", "HF_TOKEN": "t"}


def test_what_is_too_short_to_search_for_or_a_path_is_not_searched_for(tmp_path):
    file = tmp_path / "credentials"
    file.touch()
    environ = {"A_KEY": "short", "B_KEY": "long-enough-value", "GOOGLE_CREDENTIALS": str(file)}

    assert known_secrets(environ) == {"B_KEY": "long-enough-value"}
