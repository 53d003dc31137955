"""Walls and missing pages are seen, and ordinary short pages are not taken for them."""

import pytest

from research_eval.tool.fetch.reader import read_here

FORM = "<form><input name=u><input type=password name=p><button>Go</button></form>"
PROSE = (
    "<p>"
    + "The lamp on the pier was lit at dusk and put out at dawn by the keeper of the month. " * 5
    + "</p>"
)
CHROME = (
    "<html><head><meta charset=utf-8><title>{title}</title></head><body>"
    "<div class='cookie-note'><p>We use cookies and similar tools to personalise content and ads.</p><button>Allow every cookie</button></div>"
    "<nav><a href=/>Home</a> <a href=/join>Become a member today</a> <a href=/login>Log in</a></nav><main>{main}</main>"
    "<aside class=related><h3>Popular right now</h3><a href=/1>Five things about the winter timetable</a> <a href=/2>Ten things about the bell</a></aside>"
    "<footer><p>Sign up to our newsletter. <a href=/privacy>Privacy policy</a></p></footer><script src=/a.js></script></body></html>"
)
FLAGS = {
    "bot": ("bot_wall",),
    "soft": ("soft_404",),
    "consent": ("consent_wall",),
    "login": ("login_wall",),
    "paywall": ("paywall",),
    "empty": ("empty",),
    "js": ("js_required",),
    "ok": (),
}
CASES = [
    (
        "bot",
        "Just a moment...",
        "<h1>Checking your browser</h1><p>This process is automatic. Your browser will redirect shortly.</p>",
    ),
    (
        "bot",
        "Attention Required! | Cloudflare",
        "<h1>Sorry, you have been blocked</h1><p>You are unable to access example.net</p>",
    ),
    (
        "bot",
        "Valley Notes",
        "<h1>Are you a robot?</h1><p>Please confirm you are human by ticking the box below.</p>",
    ),
    ("bot", "Security check", "<p>Please complete the captcha to continue.</p>"),
    (
        "bot",
        "Access denied",
        "<h1>Access denied</h1><p>Error 1020. This website is using a security service to protect itself.</p>",
    ),
    (
        "bot",
        "Verify",
        "<p>We have detected unusual traffic from your network. Please solve the puzzle.</p>",
    ),
    ("soft", "Valley Notes", "<h1>Page not found</h1><p>Sorry.</p>"),
    ("soft", "Not found | Valley Notes", "<p>We looked everywhere.</p>"),
    (
        "soft",
        "Valley Notes",
        "<h1>Oops</h1><p>The story you are looking for does not exist or was removed.</p>",
    ),
    ("soft", "Valley Notes", "<p>Sorry, we could not find the page you requested.</p>"),
    ("soft", "Página no encontrada", "<h1>Error 404</h1><p>La página que busca no existe.</p>"),
    ("soft", "Seite nicht gefunden | X", "<h1>Diese Seite gibt es nicht</h1>"),
    ("soft", "Valley Notes", "<h1>This page has moved or no longer exists</h1>"),
    ("soft", "Valley Notes", "<h1>Hmm, nothing here</h1><p>The link may be broken.</p>"),
    ("soft", "ページが見つかりません", "<h1>404 Not Found</h1>"),
    ("soft", "Valley Notes", "<h1>Sorry, this listing has expired</h1>"),
    (
        "consent",
        "Before you continue",
        "<h1>Before you continue</h1><p>We and our partners use cookies to personalise ads. Accept all or manage choices.</p>",
    ),
    (
        "consent",
        "Valley Notes",
        "<h1>Your privacy matters</h1><p>To read on, accept cookies from us and our 245 partners.</p><button>Accept all</button>",
    ),
    (
        "consent",
        "Cookie consent",
        "<p>We use cookies. By clicking accept you agree to the storing of cookies.</p>",
    ),
    (
        "consent",
        "Valley Notes",
        '<div class="consent-wall"><h2>We value your privacy</h2><p>We and our partners store and access information on a device, such as cookies, and process personal data for personalised ads. Choose accept to go on.</p><button>I agree</button></div>',
    ),
    ("login", "Sign in | Valley Notes", "<h1>Sign in</h1>" + FORM),
    ("login", "Valley Notes", "<h1>Log in to continue reading</h1>" + FORM),
    (
        "login",
        "Thread",
        "<h1>Members area</h1><p>You need to be signed in to see this discussion. Log in or create an account.</p>",
    ),
    (
        "login",
        "Valley Notes",
        "<h1>Please sign in</h1><p>This page is for members only.</p><form><input type=email><input type=password></form>",
    ),
    (
        "paywall",
        "Story",
        "<article><h1>Story</h1>"
        + PROSE
        + '<div class="gate"><p>Subscribe to keep reading. Already a subscriber? Sign in.</p></div></article>',
    ),
    (
        "paywall",
        "Story",
        "<article><h1>Story</h1>"
        + PROSE
        + "<p>This article is for subscribers only.</p></article>",
    ),
    (
        "paywall",
        "Story",
        "<article><h1>Story</h1>"
        + PROSE
        + PROSE
        + '<div class="paywall-prompt"><h2>Continue reading with a subscription</h2><p>From 2 euro a month.</p></div></article>',
    ),
    ("empty", "Nothing", ""),
    ("js", "App", '<div id="app"></div><noscript>Please enable JavaScript</noscript>'),
    ("ok", "Error 404 and its history", "<h1>Error 404 and its history</h1>" + 6 * PROSE),
    ("ok", "Sign in to the harbour: a guide", "<h1>Signing in at the harbour</h1>" + 3 * PROSE),
    ("ok", "How captchas work", "<h1>How captchas work</h1>" + 3 * PROSE),
    ("ok", "Privacy policy", "<h1>Privacy policy</h1><p>We use cookies.</p>" + 4 * PROSE),
    (
        "ok",
        "Contact",
        "<h1>Contact</h1><p>Write to the harbour office, Quay 3, between nine and noon on weekdays.</p>",
    ),
    ("ok", "JavaScript required reading", "<h1>Required JavaScript reading</h1>" + PROSE),
    ("ok", "Weather", "<h1>Weather</h1><p>12 degrees, light rain.</p>"),
    ("ok", "The lost page", "<h1>The page that was lost</h1>" + PROSE + PROSE),
    (
        "ok",
        "Store",
        "<h1>Lantern</h1><p>This item is no longer available in blue; the red one is in stock at 12 crowns.</p>"
        + PROSE,
    ),
    (
        "ok",
        "Forum",
        "<h1>Question</h1><p>I cannot log in to my account, please help.</p><p>Reset it.</p>",
    ),
    (
        "soft",
        "Valley Notes",
        "<h1>Whoops</h1><p>We searched the archive but that page is not there.</p>",
    ),
    ("soft", "Error", "<h1>Error 404 - File not found</h1>"),
    ("soft", "Valley Notes - Page Not Found", "<h1>Valley Notes</h1><p>Go home.</p>"),
    ("soft", "Page introuvable", "<h1>Oups</h1>"),
    ("soft", "Страница не найдена", "<p>Вернитесь на главную.</p>"),
    ("soft", "页面不存在", "<p>返回首页</p>"),
    ("soft", "Valley Notes", "<h1>404</h1>"),
    (
        "soft",
        "Valley Notes",
        "<h1>This article is unavailable</h1><p>It may have been taken down.</p>",
    ),
    (
        "ok",
        "The missing chapter",
        "<h1>The missing chapter</h1><p>A short note: the chapter was found in the attic in 1931 by the clerk.</p>",
    ),
    (
        "ok",
        "Removed walls",
        "<h1>The north wall was removed</h1><p>In 1931 the council removed the wall.</p>",
    ),
    (
        "ok",
        "Lost and found office",
        "<h1>Lost and found</h1><p>Open weekdays nine to noon. Bring a document.</p>",
    ),
    ("ok", "Just a moment in time", "<h1>A moment in time</h1>" + PROSE + PROSE + PROSE + PROSE),
    (
        "ok",
        "Security",
        "<h1>Harbour security</h1><p>Visitors must show a pass to the guard. Access to the pier is denied in storms.</p>",
    ),
    (
        "ok",
        "Log",
        "<h1>Harbour log, 4 May</h1><p>Wind north, three boats in. Please sign in at the office on arrival.</p>",
    ),
    (
        "ok",
        "Subscribe",
        "<h1>Newsletter archive</h1><p>Issue 4: lamps and tides. Issue 5: ropes.</p><p>Subscribe to get the next issue by mail.</p>",
    ),
    (
        "ok",
        "Cookies",
        "<h1>Oat cookies</h1><p>Mix oats, butter and sugar. Bake for twelve minutes. Makes twenty cookies.</p>",
    ),
    (
        "ok",
        "API",
        "<h1>GET /tides</h1><p>Returns 404 when the port is not found.</p><pre>GET /tides?port=x</pre>",
    ),
    (
        "ok",
        "Status codes",
        "<h1>Errors</h1><table><tr><th>Code</th><th>Meaning</th></tr><tr><td>404</td><td>not found</td></tr><tr><td>403</td><td>access denied</td></tr></table>",
    ),
    (
        "ok",
        "JS",
        "<h1>Install</h1><p>The widget requires JavaScript to be enabled in the browser.</p>",
    ),
    (
        "bot",
        "Valley Notes",
        "<h1>One more step</h1><p>Please complete the security check to access example.net</p>",
    ),
    (
        "bot",
        "Human Verification",
        '<div id="challenge-container"></div><p>Let us confirm you are human. Complete the security check before continuing.</p>',
    ),
    (
        "bot",
        "Robot Check",
        "<p>Enter the characters you see below. Sorry, we just need to make sure you are not a robot.</p>",
    ),
    ("bot", "DDoS protection", "<p>Checking your browser before accessing example.net.</p>"),
    (
        "bot",
        "example.net",
        "<p>Please enable cookies and JavaScript, then reload to prove that you are not a bot.</p>",
    ),
    ("login", "Anmelden", "<h1>Anmelden</h1>" + FORM),
    ("login", "Valley Notes", "<h1>Welcome back</h1>" + FORM + "<a href=/f>Forgot password?</a>"),
    (
        "login",
        "Valley Notes",
        "<h1>Create an account to continue</h1><p>Join to see this post.</p>" + FORM,
    ),
    (
        "consent",
        "Datenschutz",
        "<h1>Wir verwenden Cookies</h1><p>Wir und unsere Partner verwenden Cookies. Alle akzeptieren oder Einstellungen verwalten.</p>",  # codespell:ignore
    ),
    (
        "paywall",
        "Story",
        "<article><h1>Story</h1>"
        + PROSE
        + "<p>You have reached your limit of free articles.</p></article>",
    ),
    (
        "paywall",
        "Story",
        "<article><h1>Story</h1>"
        + PROSE
        + "<p>To read the full story, subscribe now.</p></article>",
    ),
    (
        "paywall",
        "Story",
        "<article><h1>Story</h1>"
        + PROSE
        + "<p>Become a member to unlock the rest of this story.</p></article>",
    ),
]


@pytest.mark.parametrize(
    ("kind", "title", "main"),
    CASES,
    ids=[f"{kind}-{number}" for number, (kind, _, _) in enumerate(CASES)],
)
def test_a_page_is_judged_by_what_it_shows(kind, title, main):
    html = CHROME.format(title=title, main=main)
    page = read_here(html.encode(), url="https://a.example/", content_type="text/html", headers={})

    assert page.flags == FLAGS[kind]
