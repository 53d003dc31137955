"""Bytes become text as in a browser."""

import pytest

from research_eval.tool.fetch.decode import charset_of, decode
from research_eval.tool.fetch.japanese import decode_euc_jp, decode_iso_2022_jp
from research_eval.tool.fetch.prescan import declared_in_meta, encoding_from_label


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("latin1", "windows-1252"),
        ("ascii", "windows-1252"),
        ("ISO-8859-9", "windows-1254"),
        ("x-sjis", "shift_jis"),
        ("windows-31j", "shift_jis"),
        ("windows-949", "euc-kr"),
        ("ks_c_5601-1987", "euc-kr"),
        ("gb2312", "gbk"),
        ("big5-hkscs", "big5"),
        ("unicode-1-1-utf-8", "utf-8"),
        ("utf-7", None),
        ("none", None),
        ("", None),
        (" UTF8 ", "utf-8"),
        ("iso-2022-kr", "replacement"),
    ],
)
def test_labels_mean_what_the_standard_says(label, name):
    assert encoding_from_label(label) == name


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"<meta charset=utf-8>", "utf-8"),
        (b"<META CHARSET='Shift_JIS'>", "shift_jis"),
        (b'<meta http-equiv="content-type" content="text/html; charset=koi8-r">', "koi8-r"),
        (b'<meta content="text/html; charset=koi8-r">', None),
        (b"<meta http-equiv=content-type content='text/html;charset=\"big5\"'>", "big5"),
        (b"<!-- <meta charset=big5> --><meta charset=gbk>", "gbk"),
        (b"<!--><meta charset=gbk>", "gbk"),
        (b"<script>x</script><meta charset=gbk>", "gbk"),
        (b"<a title='<meta charset=big5>'><meta charset=gbk>", "gbk"),
        (b"<meta charset=utf-16be>", "utf-8"),
        (b"<meta charset=x-user-defined>", "windows-1252"),
        (b"<meta charset=bogus><meta charset=gbk>", "gbk"),
        (b"<meta name=a content=b charset=gbk>", "gbk"),
        (b"<metacharset=gbk>", None),
        (b"<meta charset>", None),
        (b"<meta charset=", None),
        (b"<meta charset='gbk", None),
        (b"<meta/charset=gbk />", "gbk"),
        (b"<meta charset=gbk/>", None),
        (b"</meta charset=gbk>", None),
        (b"<!doctype x><?php <meta charset=gbk> ?><meta charset=big5>", "big5"),
        (b"<meta charset=a charset=gbk>", None),
        (b" " * 16_384 + b"<meta charset=gbk>", None),
        (b"", None),
        (b"<", None),
    ],
)
def test_a_declaration_is_found_where_a_browser_finds_it(head, name):
    assert declared_in_meta(head) == name


@pytest.mark.parametrize(
    ("content_type", "name"),
    [
        ("text/html; charset=utf-8", "utf-8"),
        ('a/b;x=y; CHARSET = "latin1"', "windows-1252"),
        ("text/html", None),
        ("charset=", None),
    ],
)
def test_the_header_names_the_encoding(content_type, name):
    assert charset_of(content_type) == name


def test_holes_of_windows_encodings_are_controls_not_faults():
    assert (
        decode(b"a\x81\x8d\x9db", content_type="text/plain; charset=windows-1252").text
        == "a\x81\x8d\x9db"
    )


@pytest.mark.parametrize("row", range(1, 95))
def test_every_pair_of_jis_is_read_as_shift_jis_reads_it(row):
    for cell in range(1, 95):
        lead, trail = (
            (row - 1) // 2 + (0x81 if row < 63 else 0xC1),
            cell + (0x9E if row % 2 == 0 else 0x3F + (cell >= 64)),
        )
        expected = bytes((lead, trail)).decode("cp932", "replace")
        pair = bytes((row + 0x20, cell + 0x20))

        assert decode_euc_jp(bytes(byte | 0x80 for byte in pair)) == expected
        assert decode_iso_2022_jp(b"\x1b$B" + pair + b"\x1b(B") == expected


def test_other_parts_of_japanese_encodings():
    assert decode_euc_jp(b"a\x8e\xb1\x8f\xb0\xa1\xff\xa4") == "aｱ丂��"
    assert decode_iso_2022_jp(b'a\x1b(J\\~\x1b(I1\x1b$@$"\n$"\x1b(Bz') == "a¥‾ｱあ\nあz"
    assert decode_iso_2022_jp(b'\x1b$B$"$') == "あ�"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_seen_by_its_zero_bytes(codec):
    assert (
        decode("<p>plain words of a page</p>".encode(codec)).text == "<p>plain words of a page</p>"
    )


def test_one_broken_byte_does_not_change_the_encoding():
    decoded = decode("Σχοινιά και πανιά ".encode() * 3 + b"\xff")

    assert decoded.encoding == "utf-8"
    assert decoded.text.endswith("\ufffd")


def test_unreadable_encodings_give_nothing_to_read():
    assert decode(b"abc", content_type="text/html; charset=iso-2022-kr") == (
        "\ufffd",
        "replacement",
    )


def test_user_defined_bytes_go_to_the_private_area():
    assert decode(b"a\x80", content_type="x; charset=x-user-defined").text == "a\uf780"


def test_of_two_encodings_that_read_the_same_the_common_one_is_named():
    text = "Το σχοινοποιείο απλώνεται δίπλα στο ποτάμι και ο τεχνίτης το περπατά κάθε πρωί."

    assert decode(text.encode("iso8859_7")).encoding == "windows-1253"
    assert decode(("Άρτα " + text).encode("iso8859_7")) == ("Άρτα " + text, "iso-8859-7")
