"""The furniture around a page: three styles of menus, banners, recommendations."""

FURNITURE = [
    "Tick to accept biscuits",
    "Guild shop",
    "Letters by pigeon every week",
    "Others also wandered to",
    "Colophon and imprint",
]
"""Words that no result may hold."""

_MENU = "".join(
    f'<li><a href="/{name}">{text}</a></li>'
    for name, text in (
        ("home", "Front page"),
        ("shop", "Guild shop"),
        ("map", "Valley map"),
        ("login", "Member entrance"),
    )
)
_MORE = "".join(
    f'<li><a href="/more/{number}">{text}</a></li>'
    for number, text in enumerate(
        (
            "Nine kilns worth the climb",
            "Why ropes are sold by weight",
            "A winter without ferries",
            "Salt, briefly",
            "The last tram",
        ),
        1,
    )
)
_HEAD = '<script>var t={a:"SCRIPT MUST STAY OUT"};</script><style>.q{margin:0}/* STYLE MUST STAY OUT */</style>'


def semantic(main: str, *, title: str, head: str = "", before: str = "") -> str:
    """Put `main` on a page of today, with elements that say what they are."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>{head}{_HEAD}</head><body>'
        f'<header class="masthead"><a href="/">Field Notes</a><nav><ul>{_MENU}</ul></nav></header>{before}'
        f"<main>{main}</main>"
        f'<aside class="more"><h2>Others also wandered to</h2><ul>{_MORE}</ul></aside>'
        '<div class="cookie-notice" role="dialog"><p>We use cookies for measuring.</p><button>Tick to accept biscuits</button></div>'
        '<footer><form class="newsletter"><label>Letters by pigeon every week</label><input name="mail"></form>'
        '<p>Colophon and imprint</p><a href="/privacy">Privacy</a></footer></body></html>'
    )


def classes(main: str, *, title: str, head: str = "") -> str:
    """Put `main` on a page made of `div` elements whose classes say what they are."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>{head}{_HEAD}</head><body class="page has-sidebar">'
        f'<div id="top-bar"><div class="navbar-menu"><ul>{_MENU}</ul></div></div>'
        f'<div class="wrapper"><div class="col-8"><div class="post-content">{main}</div>'
        f'<div class="related-posts"><h3>Others also wandered to</h3><ul>{_MORE}</ul></div></div>'
        '<div class="col-4 sidebar"><div class="widget newsletter-box"><p>Letters by pigeon every week</p></div></div></div>'
        '<div id="cookieConsent"><p>Cookies are baked here.</p><a href="#">Tick to accept biscuits</a></div>'
        '<div class="site-footer"><p>Colophon and imprint</p></div></body></html>'
    )


def anonymous(main: str, *, title: str, head: str = "") -> str:
    """Put `main` on a page whose elements and classes say nothing."""
    links = _MENU.replace("<li>", "<span>").replace("</li>", "</span> ")
    return (
        f'<!doctype html><html><head><meta charset="utf-8"><title>{title}</title>{head}{_HEAD}</head><body><div class="x1"><div class="x2">{links}</div>'
        f'<div class="x3"><div class="x4"><div class="x5">{main}</div></div></div></div></body></html>'
    )


def tables(main: str, *, title: str, head: str = "") -> str:
    """Put `main` on a page of the nineties, laid out by a table."""
    links = _MENU.replace("<li>", "").replace("</li>", "<br>")
    return (
        f"<html><head><title>{title}</title>{head}</head><body bgcolor=white><table width=100% border=0><tr><td width=120 valign=top>{links}</td>"
        f"<td valign=top>{main}</td></tr></table><center><small>Colophon and imprint</small></center></body></html>"
    )
