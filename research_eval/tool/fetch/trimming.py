"""Take out of the chosen content what stands beside its prose: lists of other pages, sharing."""

import re
from collections.abc import Iterator

from research_eval.tool.fetch.boilerplate import KEPT_WORDS, text_of, words_of
from research_eval.tool.fetch.dom import Element, count

__all__ = ["below", "is_link_list", "is_own_heading", "trim"]

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_FURNITURE_HEADING = re.compile(
    r"(?:(?:related|read (?:more|next|also)|more (?:from|stories|news|on |in |articles|posts)"
    r"|you (?:may|might)(?: also)? (?:like|enjoy|be interested)|recommended|most (?:read|popular|viewed)"
    r"|trending|popular|latest (?:news|stories|posts|articles)|share (?:this|on)|subscribe|sign up"
    r"|(?:our )?newsletter|follow us|leave a (?:reply|comment)|editor.?s picks?|don.?t miss"
    r"|(?:best|more) of [\w-]+(?:\.[\w-]+)+$|lire aussi|à lire aussi|sur le même sujet|les plus lus"
    r"|mehr zum thema|lesen sie auch|meistgelesen|auch interessant|noticias relacionadas"
    r"|te puede interesar|lo más (?:leído|visto)|las más leídas|leia também|mais lidas"
    r"|leggi anche|articoli correlati|i più letti|lees ook|meest gelezen|czytaj też|zobacz też"
    r"|читайте также|самое читаемое)\b"
    r"|関連記事|あわせて読みたい|おすすめ記事|アクセスランキング|相关(?:新闻|阅读|文章|推荐)"
    r"|推荐阅读|延伸閱讀|热门(?:新闻|文章)|많이 본|관련 ?(?:기사|뉴스))",
    re.IGNORECASE,
)
_OWN_HEADING = re.compile(
    r"[\W\d]*(?:(?:references?|sources?|citations?|see also|external links?|further reading|notes"
    r"|bibliography|literature|downloads?|attachments?|in this (?:chapter|section|series)"
    r"|quellen|literatur|einzelnachweise|weblinks|siehe auch|références|notes et références"
    r"|liens externes|voir aussi|bibliographie|referencias|fuentes|enlaces externos|véase también"
    r"|bibliografía|fonti|note|voci correlate|collegamenti esterni|bibliografia|referências|fontes"
    r"|ver também|bronnen|zie ook|źródła|przypisy|bibliografia|примечания|ссылки|литература"
    r"|источники)\b|参考|参见|外部(?:链接|リンク)|脚注|出典|関連項目|각주|출처|참고|같이 보기)",
    re.IGNORECASE,
)
"""Headings over links that belong to a text."""
_OWN_WORDS = KEPT_WORDS | {"toctree"}
_SHARING = re.compile(
    r"//(?:[\w-]+\.)*(?:facebook\.com/(?:sharer?\b|dialog/(?:feed|share))|(?:twitter|x)\.com/(?:share\b|intent/)"
    r"|linkedin\.com/sharearticle|linkedin\.com/sharing/|pinterest\.\w+/pin/create|reddit\.com/submit"
    r"|tumblr\.com/(?:share\b|widgets/share)|plus\.google\.com/share|t\.me/share|telegram\.me/share"
    r"|(?:api\.)?whatsapp\.com/send|wa\.me/\?|getpocket\.com/(?:save|edit)|vk\.com/share"
    r"|share\.flipboard\.com|digg\.com/submit|stumbleupon\.com/submit|service\.weibo\.com/share"
    r"|b\.hatena\.ne\.jp/entry|line\.me/r/msg|addtoany\.com/)",
    re.IGNORECASE,
)
_PROSE = 400
"""Weight of prose from which on a page is more than a list of links."""
_CODE = frozenset({"code", "dt", "kbd", "pre", "samp", "var"})
"""Elements of a reference: its links belong to what it says."""
_MUCH_CODE = 8
_LISTS = frozenset({"aside", "div", "dl", "form", "nav", "ol", "section", "table", "td", "ul"})


def trim(root: Element) -> None:
    """Mark what in the chosen content belongs to the site and not to the page; count again."""
    marked = [_drop_recommendations(root), _drop_sharing(root), _drop_neighbours(root)]
    if any(marked):
        count(reversed(list(below(root))))


def below(root: Element) -> Iterator[Element]:
    """Yield `root` and all that is below it, parents first, without what was dropped."""
    stack = [root]
    while stack:
        element = stack.pop()
        yield element
        stack.extend(
            c for c in reversed(element.children) if isinstance(c, Element) and not c.is_dropped
        )


def _drop_recommendations(root: Element) -> bool:
    """Mark lists of links to other pages that stand under a heading which says so."""
    found = False
    for parent in list(below(root)):
        children = _children(parent)
        if parent.tag == "aside" and _begins_with_label(parent, children):
            parent.is_dropped = found = True
            continue
        if len(children) == 1:
            continue  # a heading alone is judged with what stands beside its wrapper
        for place, child in enumerate(children):
            heading = _heading_of(child)
            if heading is not None and _FURNITURE_HEADING.match(text_of(heading)):
                found |= _drop_section(children, place, heading.tag)
    return found


def _begins_with_label(aside: Element, children: list[Element]) -> bool:
    """Say whether `aside` has links under a label that says they lead elsewhere."""
    label = next((c for c in children if c.chars), None)
    if label is None or aside.links == 0 or label.chars > 30 or label.chars == aside.chars:
        return False
    return _FURNITURE_HEADING.match(text_of(label)) is not None


def _heading_of(element: Element) -> Element | None:
    """Return the short heading that `element` is, or holds and nothing else."""
    place = element
    for _ in range(3):
        if place.tag in _HEADINGS:
            return place if place.chars < 60 else None
        inner = [c for c in _children(place) if c.chars]
        if len(inner) != 1 or inner[0].chars != place.chars:
            return None
        place = inner[0]
    return None


def _drop_section(siblings: list[Element], place: int, level: str) -> bool:
    """Mark the heading at `place` and what belongs to it, if that is mostly links."""
    section = [siblings[place]]
    is_wrapped = siblings[place].tag not in _HEADINGS
    for position in range(place + 1, len(siblings)):
        sibling = siblings[position]
        heading = _heading_of(sibling)
        if heading is not None and heading.tag <= level:
            break
        if is_wrapped and (len(section) > 1 or _has_heading(sibling, level)):
            break
        section.append(sibling)
    chars = sum(e.chars for e in section[1:])
    link_chars = sum(e.link_chars for e in section[1:])
    if link_chars < 0.5 * chars or (not chars and len(section) < len(siblings)):
        return False
    for element in section:
        element.is_dropped = True
    return True


def _has_heading(element: Element, level: str) -> bool:
    return any(e.tag in _HEADINGS and e.tag <= level for e in below(element))


def _drop_sharing(root: Element) -> bool:
    """Mark links that send the page's own address to somebody."""
    found = False
    for element in below(root):
        if element.tag == "a" and _SHARING.search(element.get("href")[:300]):
            element.is_dropped = found = True
    return found


def _drop_neighbours(root: Element) -> bool:
    """Mark lists of links that stand beside the part that holds most of the prose.

    Lists inside of that part stay, and so do those that are built as that part is: sections.
    """
    if root.prose < _PROSE or root.prose < 0.3 * root.chars or _is_reference(root):
        return False
    found = False
    kept = _around_heading(root)
    node = root
    while True:
        children = _children(node)
        best = max(children, key=lambda e: e.prose, default=None)
        if best is None or best.prose < 0.7 * node.prose:
            return found
        for child in children:
            if child is best or _is_peer(child, best) or id(child) in kept:
                continue
            if is_link_list(child, best.prose):
                child.is_dropped = found = True
        node = best


def _is_reference(root: Element) -> bool:
    """Say whether the page documents code: then links beside its prose are a part of it."""
    return sum(1 for element in below(root) if element.tag in _CODE) >= _MUCH_CODE


def _around_heading(root: Element) -> set[int]:
    """Return the ids of the first main heading and of all that it stands in."""
    place = next((e for e in below(root) if e.tag == "h1"), None)
    found: set[int] = set()
    while place is not None:
        found.add(id(place))
        place = place.parent
    return found


def _is_peer(element: Element, other: Element) -> bool:
    """Say whether both are parts of one kind."""
    names = element.get("class")
    is_named = bool(names) or element.tag in {"article", "section"}
    return is_named and element.tag == other.tag and names == other.get("class")


def is_link_list(element: Element, prose: int) -> bool:
    """Say whether `element` is links, or the foot of a site, beside so much `prose`."""
    if element.tag not in _LISTS or element.links < 3:
        return False
    if element.prose:
        labels = element.chars - element.link_chars - element.prose
        is_foot = element.links >= 10 and element.link_chars >= 0.25 * element.chars
        is_linked = is_foot and element.prose < 0.4 * prose and labels < 1.2 * element.link_chars
    else:
        is_linked = element.link_chars >= 0.5 * element.chars
    return is_linked and not _is_own(element)


def _is_own(element: Element) -> bool:
    """Say whether a list of links belongs to the text: sources, chapters, parts of a reference."""
    if words_of(element) & _OWN_WORDS:
        return True
    heading = None
    for inner in below(element):
        if inner.tag in _CODE:
            return True
        heading = heading or (inner if inner.tag in _HEADINGS else None)
    return heading is not None and is_own_heading(text_of(heading))


def is_own_heading(text: str) -> bool:
    """Say whether a heading stands over links that belong to a text."""
    return _OWN_HEADING.match(text) is not None


def _children(element: Element) -> list[Element]:
    return [c for c in element.children if isinstance(c, Element) and not c.is_dropped]
