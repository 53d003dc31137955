"""Texts in old and new encodings, declared rightly, oddly or not at all."""

# ruff: noqa: RUF001 - the texts are in their own letters

from collections.abc import Iterator

from entry import Entry

_TEXTS = {
    "japanese": "綱を編む小屋は川沿いに三百メートル続き、㈱灯台が①番から順に修理した。髙橋さんは毎朝ここを歩く。",
    "plain_japanese": "綱を編む小屋は川沿いに続き、職人は毎朝ここを歩いて仕事を始める。雨の日は休みになることもある。",
    "chinese": "制绳作坊沿着河岸延伸三百米，工匠每天早晨从这里走过，检查每一根新编的绳子是否结实。",
    "traditional": "製繩作坊沿著河岸延伸三百公尺，工匠每天早晨從這裡走過，檢查每一根新編的繩子是否結實。",
    "korean": "밧줄 공방은 강을 따라 삼백 미터나 이어지고, 장인은 매일 아침 이곳을 걸으며 똠방각하 새 밧줄을 살핀다.",
    "russian": "Канатный двор тянется вдоль реки на триста метров, и мастер каждое утро проходит его из конца в конец.",
    "czech": "Příliš žluťoučký provazník prochází každé ráno dílnou u řeky a kontroluje každý nový provaz.",
    "greek": "Το σχοινοποιείο απλώνεται τριακόσια μέτρα δίπλα στο ποτάμι και ο τεχνίτης το περπατά κάθε πρωί.",
    "turkish": "Halat atölyesi ırmak boyunca üç yüz metre uzanır; usta her sabah buradan geçip yeni halatları yoklar.",
    "hebrew": "בית מלאכה לחבלים משתרע לאורך הנהר, והאומן עובר בו בכל בוקר ובודק כל חבל חדש.",
    "arabic": "يمتد مصنع الحبال على طول النهر ثلاثمئة متر، ويمشي فيه الحرفي كل صباح ليفحص الحبال الجديدة.",
    "thai": "โรงทำเชือกทอดยาวตามแม่น้ำสามร้อยเมตร ช่างเดินตรวจเชือกใหม่ทุกเช้า",
    "french": "La corderie s’étend sur trois cents mètres – « déjà » dit l’œuvre – et l’entrée coûte 5 €.",
}


def _page(text: str, head: str = "", lead: str = "") -> str:
    return f"{lead}<!DOCTYPE html><html><head>{head}<title>{text[:8]}</title></head><body><h1>{text[:8]}</h1><p>{text}</p><p>{text}</p></body></html>"


def _entry(
    name: str,
    text: str,
    codec: str,
    encoding: str,
    *,
    content_type: str = "text/html",
    head: str = "",
    lead: str = "",
    bom: bytes = b"",
) -> Entry:
    body = bom + _page(text, head, lead).encode(codec)
    return Entry(
        f"encoding_{name}",
        body,
        content_type=content_type,
        must_contain=[text],
        must_not_contain=["\ufffd"],
        title=text[:8],
        encoding=encoding,
    )


def entries() -> Iterator[Entry]:
    """Yield a page for each way to name an encoding."""
    text = _TEXTS
    yield _entry(
        "euc_jp_header",
        text["plain_japanese"],
        "euc_jp",
        "euc-jp",
        content_type="text/html; charset=EUC-JP",
    )
    yield _euc_jp_with_extensions()
    yield _entry("euc_jp_undeclared", text["plain_japanese"], "euc_jp", "euc-jp")
    yield _entry(
        "shift_jis_extensions",
        text["japanese"],
        "cp932",
        "shift_jis",
        content_type="text/html; charset=Windows-31J",
    )
    yield _entry("shift_jis_undeclared", text["plain_japanese"], "cp932", "shift_jis")
    yield _entry(
        "iso_2022_jp_meta",
        text["plain_japanese"],
        "iso2022_jp",
        "iso-2022-jp",
        head='<meta http-equiv="Content-Type" content="text/html; charset=iso-2022-jp">',
    )
    yield _entry("iso_2022_jp_undeclared", text["plain_japanese"], "iso2022_jp", "iso-2022-jp")
    yield _entry(
        "gb2312_label", text["chinese"], "gb18030", "gbk", content_type="text/html; charset=gb2312"
    )
    yield _entry("gb18030_undeclared", text["chinese"], "gb18030", "gb18030")
    yield _entry(
        "big5_meta", text["traditional"], "big5hkscs", "big5", head="<META CHARSET = 'big5'>"
    )
    yield _entry(
        "korean_label",
        text["korean"],
        "cp949",
        "euc-kr",
        content_type="text/html; charset=ks_c_5601-1987",
    )
    yield _entry("korean_undeclared", text["korean"].replace("똠방각하 ", ""), "euc_kr", "euc-kr")
    yield _entry("koi8_undeclared", text["russian"], "koi8_r", "koi8-r")
    yield _entry(
        "cyrillic_header",
        text["russian"],
        "cp1251",
        "windows-1251",
        content_type="text/html;charset='cp1251'",
    )
    yield _entry(
        "czech_meta", text["czech"], "cp1250", "windows-1250", head='<meta charset="windows-1250">'
    )
    yield _entry(
        "greek_header",
        text["greek"],
        "iso8859_7",
        "iso-8859-7",
        content_type="text/html; charset=greek",
    )
    yield _entry(
        "turkish_latin5",
        text["turkish"],
        "cp1254",
        "windows-1254",
        content_type="text/html; charset=iso-8859-9",
    )
    yield _entry("hebrew_undeclared", text["hebrew"], "cp1255", "windows-1255")
    yield _entry(
        "arabic_meta",
        text["arabic"],
        "cp1256",
        "windows-1256",
        head='<meta http-equiv=content-type content="text/html;charset=windows-1256">',
    )
    yield _entry(
        "thai_label",
        text["thai"],
        "cp874",
        "windows-874",
        content_type="text/html; charset=tis-620",
    )
    yield _entry("utf16_mark", text["russian"], "utf-16-le", "utf-16le", bom=b"\xff\xfe")
    yield _entry(
        "utf8_mark_beats_meta",
        text["greek"],
        "utf-8",
        "utf-8",
        head='<meta charset="iso-8859-7">',
        bom=b"\xef\xbb\xbf",
    )
    yield _entry("utf8_undeclared", text["thai"], "utf-8", "utf-8")
    yield _entry(
        "meta_says_utf16", text["russian"], "utf-8", "utf-8", head='<meta charset="utf-16">'
    )
    yield _entry(
        "meta_late",
        text["french"],
        "cp1252",
        "windows-1252",
        head="<!--" + "x" * 3000 + '--><meta charset="latin1">',
    )
    yield _entry(
        "meta_in_comment",
        text["russian"],
        "cp1251",
        "windows-1251",
        head='<!-- <meta charset="utf-8"> --><meta charset="windows-1251">',
    )
    yield _entry(
        "header_beats_meta",
        text["czech"],
        "cp1250",
        "windows-1250",
        content_type="text/html; charset=windows-1250",
        head='<meta charset="utf-8">',
    )
    yield _entry(
        "unknown_label",
        text["russian"],
        "cp1251",
        "windows-1251",
        content_type="text/html; charset=none",
    )
    yield _entry(
        "xml_declaration",
        text["french"],
        "cp1252",
        "windows-1252",
        lead='<?xml version="1.0" encoding="ISO-8859-1"?>',
    )
    yield _nearly_utf8()


def _euc_jp_with_extensions() -> Entry:
    """Build bytes that Python's own codec cannot write: ① is row 13, cell 1."""
    text = "番号①から⑳まで、㈱灯台の綱を数えた。"
    parts = []
    for char in text:
        pair = char.encode("cp932")
        row, cell = pair[0], pair[1]
        row -= 0xC1 if row >= 0xE0 else 0x81
        high = row * 2 + 0x21 + (cell >= 0x9F)
        low = cell - 0x7E if cell >= 0x9F else cell - 0x1F - (cell >= 0x80)
        parts.append(bytes((high | 0x80, low | 0x80)))
    body = (
        b"<html><head><title>ropes</title></head><body><p>"
        + b"".join(parts)
        + b"</p></body></html>"
    )
    return Entry(
        "encoding_euc_jp_extensions",
        body,
        content_type="text/html; charset=x-euc-jp",
        must_contain=[text],
        must_not_contain=["\ufffd"],
        title="ropes",
        encoding="euc-jp",
    )


def _nearly_utf8() -> Entry:
    body = _page(_TEXTS["greek"]).encode() + b"<p>broken \xe9 here</p>"
    return Entry(
        "encoding_nearly_utf8",
        body,
        content_type="text/html",
        must_contain=[_TEXTS["greek"]],
        encoding="utf-8",
    )
