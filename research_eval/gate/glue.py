"""Glue: where foreign words stick to a URL, in scripts that write without spaces.

A raw letter of such a script may belong to the URL (`/wiki/東京`) or to the sentence (`/page1を`).
Only what is hardly ever part of a title counts as the sentence: after a file name's extension, a
closed list of particles and turns of phrase, and anything after the host's last label. Where both
are possible, the whole stretch stays a reading too and the ledger decides.
"""

import re

from research_eval.gate.character import SPACED_LETTER, UNSPACED_LETTER
from research_eval.gate.extension import EXTENSION

__all__ = ["find_glue"]

MIN_PHRASE_CHARS = 3

_FOREIGN = re.compile(f"[{UNSPACED_LETTER}{SPACED_LETTER}]")
_FOREIGN_STRETCH = re.compile(f"[{UNSPACED_LETTER}{SPACED_LETTER}]+")
_HOST_END = re.compile(r"https?://[^/?#]*", re.IGNORECASE)
_ASCII_WORD = re.compile(r"[A-Za-z0-9)%+&~]$")
_GOES_ON = re.compile(r"[^/?#=&]*(?:[/?#=&][^/?#=&\s]|(?<=[^A-Za-z0-9])\.[A-Za-z0-9]|:[0-9])")
"""A separator of URLs with something behind it: no sentence that sticks to a URL has one."""

_LONG_NUMBER = re.compile(r"[0-9]{5,}$")
_COUNTER = re.compile("[年月日号號第版期届屆次回番度世後后]")
_ENCYCLOPEDIA = re.compile(r"wiki|baike|/item/|namu\.|/topic/|/tag/|/search", re.IGNORECASE)

_LOOKING_AT = (
    "を(?:ご?参照|ご?覧|見て(?:ください|下さい)|ご?確認|お?読み(?:ください|下さい)|参考|閲覧|チェック|クリック"
    "|引用[しす]|アクセス|ダウンロード)"
    "|に(?:アクセス|記載|掲載)|で(?:確認|公開|閲覧|ご?参照)|[请請](?:参阅|參閱|参考|參考|查看|查閱|见|見|参见|參見|点击|點擊|访问|訪問)"
)
"""What tells the reader to look at an address: no title begins with it."""

_JAPANESE = (
    "は$|が$|へ$|から$|まで$|より$|です$|ですが$"
    "|の(?:ページ|記事|サイト|資料|内容|とおり|通り|リンク|項目|説明|データ|本文|情報|記載|記述|公式)"
    "|に(?:よると|よれば|よりますと|あります|詳し|基づ|まとめ|示され|公開|載って|て$)"
    "|で(?:読め|読む|読ま|入手|紹介|説明|述べ|報告|報じ|提供|配布|す$|した$|は$|も$)"
    "|と(?:いう(?:ページ|記事|サイト|資料)|述べ|書い|記載|説明|されて)|から(?:引用|確認|入手|取得|ダウンロード)"
)
_CHINESE = (
    "中(?:提到|指出|显示|顯示|的|所|有|记载|記載|可|找到|描述|说明|說明)|上(?:的|可|查|公布|发布|發布|提供)"
    "|的(?:报道|報導|报告|報告|说法|說法|数据|數據|内容|內容|文章|规定|規定|介绍|介紹|说明|說明|描述|页面|頁面|网页|網頁|链接|連結"
    "|信息|資訊|资料|資料|记载|原文|解释|统计|統計|第)|(?:显示|顯示|指出|提到)$|所述|所示|所载"
    "|可以?(?:看到|查到|查看|查阅|找到|下载|了解)"
)
_KOREAN_PHRASE = "(?:을|를)(?:참조|참고|확인)|에서(?:확인|볼수)|입니다$|이라고$"
_STRONG = re.compile(f"{_LOOKING_AT}|{_JAPANESE}|{_CHINESE}|{_KOREAN_PHRASE}")
"""Turns of phrase that end a title."""

_AFRESH = re.compile(_LOOKING_AT)
_WITH_COMMA = frozenset(
    {"は", "でも", "が", "へ", "から", "まで", "より", "显示", "顯示", "指出", "提到"}
)
"""Ends of a title only before a comma: titles end with these as well."""

_COMMAS = frozenset("\u3001\uff0c\u300c\u300e")

_WEAK = re.compile(
    # Japanese and Chinese particles
    "[をはがにでとものへや]|から|まで|など|という"
    "|[是了也都]|的(?!士)|[中上裡里]的|(?:[和与與及或在]|以及)$|中(?:提到|指出|显示|顯示|有|所|可)"
    "|上(?:有|可|查|公布|发布|發布)|[来來]自|[为為]准|可(?:以|见|見|查|看)|就是|将(?!军)|將(?!軍)|被|表示"
    "|[称稱说說]$|显示|顯示|指出|提到|报道|報導|所述|等(?:网站|網站|页面|頁面|来源|來源|$)"
    "|参照$|より引用|内の|上で|找到|下[载載]|所示|查看|以及|一致$|참[조고]"
    # Korean particles, at the end of the stretch
    "|(?:은|는|이|가|을|를|에|의|와|과|도|로|으로|에서|에서는|에는|에도|까지|부터|라고|이라고|입니다|이다|이며|이고|만|께|처럼|보다|이나|나|및)$"
    # Thai
    "|ได้|และ|หรือ|ที่|ของ|ใน|เป็น|คือ|มี|ซึ่ง|จาก|กับ|สำหรับ|แล้ว|ครับ|ค่ะ|นะ|เพื่อ|ว่า|ให้|ระบุ|แสดง|ตาม|โดย|ดู|พบ|บอก"
    # Arabic
    "|و|ف[ايت]|في|من|على|إلى|عن|أو|لل|لم|حيث|التي|الذي|كما|أن|هو|هي|ثم|بحسب|حسب|بتاريخ|ت[شؤذ]|ي[شؤذ]|كان|قال"
)
"""Words that end a URL in plain ASCII, of a site that does not name pages in raw letters."""

_PARTICLES_BEFORE_SPACE = re.compile(
    "(?:은|는|을|를|에|에서|에서는|에는|에도|으로|로부터|까지|부터|라고|이라고|입니다|이다)$"
)
_VOWEL_FINAL = frozenset("는를")
_CONSONANT_FINAL = frozenset("은을")


def find_glue(run: str, following: str, *, before_url: bool) -> tuple[int, bool] | None:
    """Return where glued words begin in `run`, and whether that is beyond doubt.

    Args:
        run: The stretch from the scheme to the first delimiter.
        following: The text right after it.
        before_url: Whether the stretch ended because another URL begins.
    """
    first = _FOREIGN.search(run)
    if first is None:
        return None
    begin = first.start()
    host = _HOST_END.match(run)
    host_end = host.end() if host else 0
    if begin < host_end:
        return _glue_in_host(run, begin, host_end)
    if _ASCII_WORD.search(run[begin - 1 : begin]):
        cut = _glue_after_ascii(run, begin, before_url=before_url)
        if cut is not None:
            return cut
    return _glue_after_title(run, begin, following)


def _glue_in_host(run: str, begin: int, host_end: int) -> tuple[int, bool] | None:
    """A label never mixes a Latin top-level domain with another script."""
    rest = run[begin:host_end]
    if _GOES_ON.match(run, begin):
        return None
    if not run[begin - 1].isalnum() or not run[begin - 1].isascii() or "." in rest:
        return None
    return (begin, True) if "." in run[:begin] else None


def _glue_after_ascii(run: str, begin: int, *, before_url: bool) -> tuple[int, bool] | None:
    head, stretch = run[:begin], _FOREIGN_STRETCH.match(run, begin)
    end = stretch.end() if stretch else begin
    if EXTENSION.search(head) and not _GOES_ON.match(run, end):
        return begin, True
    if end < len(run) and (run[end] in "/?#=&_%-" or _GOES_ON.match(run, end)):
        return None
    if before_url and end == len(run):
        return begin, True
    return (begin, False) if _begins_sentence(run[begin:end], head) else None


def _begins_sentence(tail: str, head: str) -> bool:
    """Whether `tail`, after plain ASCII, is more likely the sentence than a part of the URL."""
    if _AFRESH.match(tail):
        return True
    if _ENCYCLOPEDIA.search(head):
        return False
    if _LONG_NUMBER.search(head) and not _COUNTER.match(tail):
        return True
    return _WEAK.match(tail) is not None


def _glue_after_title(run: str, begin: int, following: str) -> tuple[int, bool] | None:
    """Find a turn of phrase after raw letters, in the stretch that ends the run."""
    start, end = begin, begin
    for stretch in _FOREIGN_STRETCH.finditer(run, begin):
        start, end = stretch.span()
    if end != len(run):
        return None
    if run[start - 1] in "/)":
        phrase = _AFRESH.match(run, start) or _at_once(run, start) or _STRONG.search(run, start + 1)
    else:
        phrase = _STRONG.search(run, start if start > begin else start + 1)
    if phrase is None:
        return _korean_particle(run, begin, following)
    if phrase[0] in _WITH_COMMA and following[:1] not in _COMMAS:
        return None
    return phrase.start(), False


def _at_once(run: str, start: int) -> re.Match[str] | None:
    """Find a turn of phrase too long for the beginning of a title."""
    phrase = _STRONG.match(run, start)
    return phrase if phrase and len(phrase[0]) >= MIN_PHRASE_CHARS else None


def _korean_particle(run: str, begin: int, following: str) -> tuple[int, bool] | None:
    if not following[:1].isspace() or not "\uac00" <= following[1:2] <= "\ud7a3":
        return None
    particle = _PARTICLES_BEFORE_SPACE.search(run, begin)
    if particle is None or particle.start() <= begin:
        return None
    before = run[particle.start() - 1]
    if "\uac00" <= before <= "\ud7a3":
        has_final = (ord(before) - 0xAC00) % 28 != 0
        fits = _VOWEL_FINAL if not has_final else _CONSONANT_FINAL
        if particle[0] in _VOWEL_FINAL | _CONSONANT_FINAL and particle[0] not in fits:
            return None
    return particle.start(), False
