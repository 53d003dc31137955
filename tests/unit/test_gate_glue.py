"""Where foreign words stick to a URL."""

import pytest

from research_eval.gate.glue import find_glue


def _cut(run: str, following: str = "", *, before_url: bool = False) -> str | None:
    found = find_glue(run, following, before_url=before_url)
    return None if found is None else run[found[0] :]


@pytest.mark.parametrize(
    ("run", "glued"),
    [
        ("https://a.example/page12を参照してください", "を参照してください"),
        ("https://a.example/x.htmlの記事", "の記事"),
        ("https://a.example/n/58112报道", "报道"),
        ("https://a.example/n/7을", "을"),
        ("https://a.example/page7والملحق", "والملحق"),
        ("https://a.example/r9ได้เลย", "ได้เลย"),
        ("https://a.exampleを見よ", "を見よ"),
        ("https://ja.wikipedia.org/wiki/東京を参照", "を参照"),
        ("https://zh.wikipedia.org/wiki/水浒传中的人物", "中的人物"),
        ("https://a.example/請參閱", "請參閱"),
    ],
)
def test_a_phrase_that_no_title_holds_is_the_sentence(run: str, glued: str) -> None:
    assert _cut(run) == glued


@pytest.mark.parametrize(
    "run",
    [
        "https://a.example/plain",
        "https://ja.wikipedia.org/wiki/東京",
        "https://ja.wikipedia.org/wiki/C言語",
        "https://zh.wikipedia.org/wiki/2024年",
        "https://a.example/2024年/x",
        "https://zh.wikipedia.org/wiki/液晶显示器",
        "https://ja.wikipedia.org/wiki/君の名は",
        "https://例子.example.jp/x",
        "https://日本語.example",
        "https://a.example/東京/年報",
    ],
)
def test_a_title_is_left_whole(run: str) -> None:
    assert _cut(run) is None


def test_a_particle_counts_before_a_comma_alone() -> None:
    assert _cut("https://ja.wikipedia.org/wiki/東京は", "、首都") == "は"
    assert _cut("https://ja.wikipedia.org/wiki/東京は", "。") is None


def test_a_korean_particle_fits_the_syllable_before_it() -> None:
    wiki = "https://ko.wikipedia.org/wiki/"

    assert _cut(f"{wiki}서울은", " 수도") == "은"
    assert _cut(f"{wiki}서울는", " 수도") is None
    assert _cut(f"{wiki}제주는", " 섬") == "는"
    assert _cut(f"{wiki}서울은", ".") is None


def test_a_word_between_two_urls_is_glue() -> None:
    assert _cut("https://a.example/1和", "https://b.example", before_url=True) == "和"
