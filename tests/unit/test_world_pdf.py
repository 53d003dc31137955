"""The PDFs of the world have a text layer that an independent reader finds."""

import pypdfium2

from research_eval.world.pdf import write_pdf


def read(data: bytes) -> list[str]:
    document = pypdfium2.PdfDocument(data)
    return [document[number].get_textpage().get_text_range() for number in range(len(document))]


def test_text_with_brackets_backslash_and_accents_comes_back():
    text = "Depth (rated): 1,850 m\\s\nGröße £4 naïve"

    (page,) = read(write_pdf("Title", text))

    assert page.split("\r\n") == text.split("\n")


def test_a_long_text_takes_several_pages_and_loses_no_line():
    lines = [f"line {number}" for number in range(120)]

    pages = read(write_pdf("T", "\n".join(lines)))

    assert len(pages) == 3
    assert "\r\n".join(pages).split("\r\n") == lines


def test_the_bytes_depend_on_nothing_else():
    assert write_pdf("T", "x") == write_pdf("T", "x")
    assert read(write_pdf("T", "")) == [""]
