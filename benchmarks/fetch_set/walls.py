"""Pages that show nothing, and pages that only look like them."""

# ruff: noqa: RUF001 - the texts are in their own letters

from collections.abc import Iterator

import chrome
from entry import WALLS, Entry, Prose


def entries() -> Iterator[Entry]:
    """Yield walls, then false alarms."""
    yield from _missing()
    yield from _robots()
    yield from _consent_and_login()
    yield from _shells()
    yield from _paywalls()
    yield from _false_alarms()


def _wall(name: str, html: str, flag: str, **labels: object) -> Entry:
    return Entry(name, html.encode(), flags=[flag], citable=False, encoding="utf-8", **labels)  # type: ignore[arg-type]


def _missing() -> Iterator[Entry]:
    for name, title, heading, text in (
        ("title", "404 - Field Notes", "Lost on the moor", "Try the map."),
        (
            "heading",
            "Field Notes",
            "We can't find that page",
            "It may have moved when the site was rebuilt.",
        ),
        (
            "oops",
            "Oops! | Field Notes",
            "Oops! That page can't be found.",
            "Nothing was found at this address.",
        ),
        ("gone", "Field Notes", "This article is no longer available", "The editors took it down."),
        ("german", "Seite nicht gefunden", "Hoppla", "Die Seite existiert nicht mehr."),
        ("french", "Page introuvable", "Page introuvable", "Cette page n’existe pas."),
        ("japanese", "お探しのページは見つかりませんでした", "404", "URLをご確認ください。"),
    ):
        page = chrome.semantic(f"<h1>{heading}</h1><p>{text}</p>", title=title)
        yield _wall(f"missing_{name}", page, "soft_404", title=title)


def _robots() -> Iterator[Entry]:
    yield _wall(
        "robot_moment",
        "<html><head><title>Just a moment...</title></head><body><h2>Checking if the site connection is secure</h2><script src='/cdn-cgi/challenge-platform/h/b/x.js'></script></body></html>",
        "bot_wall",
        status=403,
    )
    yield _wall(
        "robot_denied",
        "<html><head><title>Access Denied</title></head><body><h1>Access Denied</h1>You don't have permission to access this on this server.<p>Reference #18.2f</body></html>",
        "bot_wall",
    )
    yield _wall(
        "robot_captcha",
        "<html><head><title>fieldnotes.example</title></head><body><p>Please enable JS and disable any ad blocker</p><script src='https://ct.captcha-delivery.com/c.js'></script></body></html>",
        "bot_wall",
    )
    yield _wall(
        "robot_press",
        "<html><head><title>Human check</title></head><body><h1>Please verify you are a human</h1><div id='px-captcha'></div><p>Press &amp; Hold</p></body></html>",
        "bot_wall",
    )
    text = "".join(f"<p>{text}</p>" for text in Prose("mitigated").paragraphs(4))
    yield _wall(
        "robot_header",
        f"<html><head><title>Field Notes</title></head><body>{text}</body></html>",
        "bot_wall",
        headers={"cf-mitigated": "challenge"},
    )


def _consent_and_login() -> Iterator[Entry]:
    yield _wall(
        "consent_before",
        "<html><head><title>Before you continue</title></head><body><h1>Before you continue to Field Notes</h1><p>We use cookies and data to measure audiences and show personalised ads.</p><button>Reject all</button><button>Accept all</button></body></html>",
        "consent_wall",
    )
    yield _wall(
        "consent_banner",
        "<html><head><title>Field Notes</title></head><body><div class='cookie-consent-overlay' role='dialog'><h2>We value your privacy</h2><p>We and our 812 partners store cookies on your device. You can accept all or manage your choices; your consent applies to all our sites. Data are used for personalised advertising.</p><button>Accept all</button></div><div id='page'></div></body></html>",
        "consent_wall",
    )
    form = "<form method=post><input name=user><input type=password name=pw><button>Log in</button></form>"
    yield _wall(
        "login_form",
        chrome.semantic(
            f"<h1>Log in</h1><p>Members of the guild log in here.</p>{form}",
            title="Log in | Field Notes",
        ),
        "login_wall",
    )
    yield _wall(
        "login_required",
        chrome.semantic(
            "<h1>Members only</h1><p>You must be logged in to view this topic.</p>",
            title="Topic 4471",
        ),
        "login_wall",
    )


def _shells() -> Iterator[Entry]:
    yield _wall(
        "shell_root",
        "<!doctype html><html><head><title>Console</title></head><body><div id=app></div><script src=/main.js></script></body></html>",
        "js_required",
        title="Console",
    )
    yield _wall(
        "shell_noscript",
        "<!doctype html><html><head><title>Shop</title></head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id=shop-mount></div><script src=/m.js></script></body></html>",
        "js_required",
        title="Shop",
    )
    yield _wall(
        "shell_loading",
        "<!doctype html><html><head><title>Desk</title></head><body><div id='__next'><div class='spinner'>Loading…</div></div><noscript>JavaScript is required.</noscript><script src=/m.js></script></body></html>",
        "js_required",
        title="Desk",
    )
    yield _wall(
        "empty_body",
        "<html><head><title>Nothing</title></head><body>   </body></html>",
        "empty",
        title="Nothing",
    )
    text = Prose("linked data").paragraph(5)
    yield Entry(
        "shell_linked_data",
        f'<html><head><title>Read me</title><script type="application/ld+json">{{"@type":"NewsArticle","articleBody":"{text}","datePublished":"1999-05-01"}}</script></head><body><div id=root></div><script src=/m.js></script></body></html>'.encode(),
        must_contain=[text],
        title="Read me",
        encoding="utf-8",
        flags_forbidden=list(WALLS),
    )


def _paywalls() -> Iterator[Entry]:
    texts = Prose("teaser").paragraphs(2)
    html = "".join(f"<p>{text}</p>" for text in texts)
    page = chrome.semantic(
        f"<article><h1>Kept back</h1>{html}<div class='paywall'><p>Subscribe to continue reading this story.</p></div></article>",
        title="Kept back",
    )
    yield Entry(
        "paywall_teaser",
        page.encode(),
        must_contain=texts,
        title="Kept back",
        encoding="utf-8",
        flags=["paywall"],
        flags_forbidden=["soft_404", "bot_wall", "login_wall"],
    )
    head = '<script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","isAccessibleForFree":"False"}</script>'
    yield Entry(
        "paywall_declared",
        chrome.semantic(
            f"<article><h1>Declared</h1>{html}</article>", title="Declared", head=head
        ).encode(),
        must_contain=texts,
        title="Declared",
        encoding="utf-8",
        flags=["paywall"],
        flags_forbidden=["soft_404", "bot_wall", "login_wall"],
    )


def _false_alarms() -> Iterator[Entry]:
    def fine(name: str, html: str, *, title: str = "Field Notes", **labels: object) -> Entry:
        return Entry(
            f"fine_{name}",
            chrome.semantic(html, title=title).encode(),
            encoding="utf-8",
            flags_forbidden=list(WALLS),
            **labels,
        )  # type: ignore[arg-type]

    long = "".join(f"<p>{text}</p>" for text in Prose("long").paragraphs(8))
    yield fine(
        "about_404",
        f"<article><h1>404 Not Found: how error pages came to be</h1>{long}</article>",
        title="404 Not Found: how error pages came to be",
    )
    yield fine(
        "about_captcha",
        f"<article><h1>Are you a robot? A history of the captcha</h1>{long}</article>",
        title="Are you a robot?",
    )
    yield fine(
        "cookie_policy",
        f"<article><h1>Cookie policy</h1><p>We use cookies to measure. You can accept or reject all cookies.</p>{long}</article>",
        title="Cookie policy",
    )
    yield fine(
        "short",
        "<h1>Opening hours</h1><p>The ropewalk is open from May to September, Tuesday to Sunday, 10 to 17.</p>",
        must_contain=["Tuesday to Sunday"],
        title="Opening hours",
    )
    yield fine(
        "bus_404",
        "<h1>Bus 404</h1><p>The line runs every twenty minutes from the depot to the tide mill and stops at the kiln.</p>",
        title="Bus 404 timetable",
    )
    yield fine(
        "contact",
        f"<h1>Write to us</h1><p>{Prose('contact').paragraph()}</p><form><input name=mail><div class='g-recaptcha' data-sitekey=x></div></form>",
    )
    yield fine(
        "beacon",
        f"<h1>Kites</h1><p>{Prose('beacon').paragraph(6)}</p><script>/cdn-cgi/challenge-platform/scripts/jsd/main.js</script>",
        headers={
            "content-security-policy": "script-src challenges.cloudflare.com www.google.com/recaptcha/",
            "set-cookie": "__cf_bm=x",
        },
    )
    yield fine(
        "login_link",
        f"<h1>Kilns</h1><p>{Prose('login link').paragraph(5)}</p><p><a href='/login'>Log in</a> to comment.</p>",
    )
    yield fine(
        "noscript",
        f"<h1>Lenses</h1><p>{Prose('noscript').paragraph(5)}</p><noscript>Please enable JavaScript to see the map.</noscript><div id=root></div>",
    )
    yield fine(
        "lost_city",
        f"<h1>The lost page of the ledger was found</h1><p>{Prose('lost').paragraph(12)}</p>",
        title="The lost page of the ledger",
    )
    yield fine(
        "subscribe",
        f"<article><h1>Salt roads</h1>{long}<p>Subscribe to our letters for more.</p></article>",
        title="Salt roads",
    )
