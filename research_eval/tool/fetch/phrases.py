"""The words by which walls and missing pages give themselves away, in several languages."""

import re

__all__ = [
    "BOT_MARKERS",
    "BOT_WALL",
    "CONSENT",
    "CONSENT_TITLE",
    "LOGIN",
    "LOGIN_TITLE",
    "NEEDS_SCRIPT",
    "PAYWALL",
    "SOFT_404",
    "SOFT_404_SURE",
]


def _any(*patterns: str) -> "re.Pattern[str]":
    return re.compile(
        "|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE | re.MULTILINE
    )


_NOT = r"(?:not|n['’]t|no longer)"
_THING = r"(?:page|file|document|article|story|content|resource|url|link|post|product|item|listing|entry|site)"

SOFT_404_SURE = _any(
    r"^\W*404\W*(?:$|[|\-–—:·•/]|error\b|not found|page\b|file\b|-)",
    r"\b(?:error|http|status|code)\s*(?:code\s*)?:?\s*404\b",
    r"\b404\W+(?:error|not found|page not found|file not found)",
    r"(?:[|\-–—:·•]\s*)404\W*$",
    rf"\b{_THING}s? (?:was |were |is |are |could |can)?(?:not|n['’]t|no)\s*(?:be )?found\b",
    rf"^\W*(?:{_THING} )?not found\b",
    r"\b(?:410\W+gone|error\W+410)\b",
    r"seite (?:wurde )?nicht gefunden",
    r"page (?:introuvable|non trouv[ée]e)",
    r"p[áa]gina n(?:o|ão) (?:encontrada|encontrado|existe)",
    r"pagina non trovata|pagina niet gevonden|sidan (?:hittades inte|kunde inte hittas)",
    r"siden (?:blev ikke fundet|ble ikke funnet|findes ikke|finnes ikke)",
    r"sivua ei l[öo]ytynyt|nie znaleziono strony|strona nie (?:istnieje|została znaleziona)",
    r"str[áa]nka (?:nebyla nalezena|nenalezena)|sayfa bulunamad[ıi]",
    r"страница не найдена|сторінку не знайдено",
    r"ページ(?:が|は)(?:見つかりません|存在しません)|お探しのページ",
    r"(?:页面|頁面|网页|網頁)(?:不存在|未找到|找不到)|找不到(?:页面|頁面|网页|網頁|该页|該頁)",
    r"페이지를 찾을 수 없",
)
"""Words of an error page that hardly anything else has in its title or heading."""

SOFT_404 = _any(
    rf"\b(?:the |this |that |your )?{_THING}\b.{{0,50}}\b(?:does|is|has|was|were|can|could|may have)\s?"
    rf"(?:{_NOT}|been|longer)?.{{0,20}}\b(?:exist|available|found|gone|removed|deleted|missing|moved|expired)\b",
    rf"\b(?:can(?:['’]?t|not| not)|could(?:n['’]t| not)|unable to|did(?:n['’]t| not))\s(?:seem to )?"
    rf"(?:find|locate)\b.{{0,40}}\b(?:{_THING}|looking|requested|that|it)\b",
    rf"\b{_THING} (?:missing|gone|removed|deleted|expired|unavailable|not available|no longer available)\b",
    r"\bno longer (?:available|exists?|here)\b",
    r"\bnothing (?:here|lives|was found|found|exists|to see|at this (?:address|url))",
    r"\b(?:oops|whoops|uh[- ]?oh|sorry|hmm)\b.{0,60}\b(?:page|lost|gone|missing|find|wrong)\b",
    r"\b(?:you(?:['’]re| are| seem| appear| look)|looks like you(?:['’]re| are)?).{0,20}\blost\b",
    r"\b(?:dead|broken) (?:link|end)\b",
    r"\b(?:has|have|was|were) (?:been )?(?:removed|deleted|withdrawn)\b",
    r"\b404\b",
    r"existiert nicht|nicht (?:mehr )?verf[üu]gbar|n['’]existe (?:pas|plus)|no existe|ya no est[áa] disponible",
    r"non esiste|bestaat niet|n[ãa]o existe|не существует|удалена",
    r"見つかりません|存在しません|削除され|不存在|已(?:被)?删除|已(?:被)?刪除|찾을 수 없|존재하지 않",
)
"""Words that mean the same where there is next to nothing else on the page."""

BOT_WALL = _any(
    r"^\W*just a moment",
    r"attention required!? \| cloudflare",
    r"\bverify(?:ing)? (?:that )?you(?:['’]re| are) (?:a |not a )?(?:human|robot|real)",
    r"\bare you (?:a |not a )?(?:human|robot)\b|\bi['’]?m not a robot\b|\bnot a robot\b",
    r"\bchecking (?:your browser|if the site connection is secure)",
    r"\b(?:complete|solve|pass) (?:the |a |this )?(?:security check|captcha|challenge)",
    r"\benable javascript and cookies to continue\b",
    r"\b(?:human|robot|bot|browser) (?:verification|check|validation)\b|^\W*(?:security|captcha) (?:check|challenge|verification)",
    r"\b(?:unusual|suspicious|automated) (?:traffic|activity|requests|behaviou?r|queries)\b",
    r"\bpardon our interruption\b|\bone more step\b.{0,80}\b(?:security|human)\b",
    r"\b(?:sorry, )?you have been blocked\b|\byour (?:request|access|ip(?: address)?) (?:has been|was|is) (?:blocked|denied)\b",
    r"\baccess (?:to this page )?(?:has been |is |was )?denied\b",
    r"\brequest unsuccessful\. incapsula|\bddos[- ]guard\b|\bpress (?:&|and) hold\b",
    r"\b(?:bot|ddos) (?:protection|detection|mitigation)\b",
    r"v[ée]rifi(?:ez|er|cation) que vous (?:[êe]tes|n['’][êe]tes pas)|sind sie ein (?:mensch|roboter)|kein roboter",
    r"no (?:soy|eres) un robot|verifica(?:r)? que eres humano|non sono un robot",
    r"не робот|ロボットではありません|(?:人机|人機|安全)(?:验证|驗證|检查|檢查)|로봇이 아닙니다",
)

BOT_MARKERS = re.compile(
    r"/cdn-cgi/challenge-platform/|cf-chl-|cf_chl_opt|captcha-delivery\.com|px-captcha|_Incapsula_Resource"
    r"|awsWafCookieDomainList|challenge-container|g-recaptcha|h-captcha|cf-turnstile|arkoselabs"
    r"|/_sec/cp_challenge/|kasada|ddos-guard|captcha-form|id=\"captcha",
    re.IGNORECASE,
)
"""Traces in the source; ordinary pages carry some of them too, with a text beside."""

CONSENT_TITLE = _any(
    r"\bbefore you continue\b|\bbevor sie (?:fortfahren|zu)|\bavant (?:de continuer|d['’]acc[ée]der)",
    r"\bantes de continuar|\bprima di continuare|\bvoordat je (?:verder|doorgaat)",
    r"\b(?:we|i) (?:value|respect|care about) your privacy\b|\byour privacy\b|\bprivacy (?:choices|settings|preferences|cent(?:er|re))\b",
    r"\bcookies?\b|\bconsent\b|\bdatenschutz|\beinwilligung|\bzustimm|\bgdpr\b|\bconfidentialit[ée]",
    r"クッキー|同意",
)

CONSENT = _any(
    r"\b(?:accept|agree|allow|reject|decline|refuse|manage|consent)\b[^.\n]{0,60}\b(?:cookies?|all|privacy|partners|tracking|personali[sz]ed|data)\b",
    r"\b(?:we|our partners|us)\b[^.\n]{0,80}\bcookies?\b",
    r"\bcookies?\b[^.\n]{0,80}\b(?:consent|agree|accept|personali[sz]e|advertising|technologies|policy)\b",
    r"\b(?:alle|cookies) (?:akzeptieren|annehmen|zustimmen)|\btout (?:accepter|refuser)|\baccepter\b",
    r"\baceptar\b|\baccett(?:a|o|are)\b|\baccepteren\b|\bgodk[äe]nn|すべて(?:同意|許可)|同意する",
)

LOGIN_TITLE = _any(
    r"^\W*(?:log|sign)[ -]?(?:in|on)\b|\b(?:log|sign)[ -]?in (?:required|to (?:continue|view|read|your|access|see))",
    r"\b(?:member|user|customer|account|subscriber)s? (?:log|sign)[ -]?in\b",
    r"[|\-–—:·]\s*(?:log|sign)[ -]?in\W*$",
    r"^\W*(?:anmelden|anmeldung|einloggen|connexion|se connecter|identifiez-vous|iniciar sesi[óo]n|acceder|accedi|inloggen|logga in|logg inn|entrar|вход|войти|ログイン|登录|登入|로그인)",
    r"\b(?:authentication|login) required\b|\bmembers[- ]only\b",
)

LOGIN = _any(
    r"\b(?:log|sign)[ -]?in\b[^.\n]{0,40}\b(?:to|for|before|required|continue|view|see|read|access)\b",
    r"\b(?:must|need to|have to|please|required to|should)\b[^.\n]{0,20}\b(?:log|sign)(?:ged)?[ -]?(?:in|on|up)\b",
    r"\b(?:only|available) (?:to|for) (?:registered |logged[- ]in )?(?:members|users)\b|\bmembers[- ]only\b",
    r"\b(?:create|register for) (?:an|your|a free) account to\b|\bforgot(?:ten)? (?:your )?password\b",
    r"\bpasswort vergessen|\bmot de passe oubli[ée]|\bcontraseñ?a olvidada|\bbitte (?:melden sie sich an|einloggen|anmelden)",
    r"\bveuillez vous connecter|\binicia sesi[óo]n|ログインして|ログインが必要|请(?:先)?登录|請(?:先)?登入",
)

PAYWALL = _any(
    r"\b(?:subscribe|sign up|register|log in|sign in|become a (?:member|subscriber)|join)\b[^.\n]{0,60}\b(?:to|and)"
    r" (?:(?:continue|keep|finish) reading|(?:continue|keep)\W*$|(?:read|unlock|access|see|view|get) (?:the |this )?"
    r"(?:full|rest|whole|entire|complete|remaining|unlimited|exclusive|article|story))",
    r"\b(?:continue|keep) reading (?:this (?:article|story)|with a|for free|for just|for only)\b",
    r"\b(?:this|the|full|rest of (?:this|the)) (?:article|story|content|text|post|report)\b[^.\n]{0,50}\b(?:for|to|by) (?:paying |paid |our |registered )?(?:subscribers|members)\b",
    r"\b(?:exclusive(?:ly)? (?:to|for)|only (?:to|for)|reserved for) (?:paying |paid |our )?subscribers\b|\bsubscribers?[- ](?:only|exclusive)\b",
    r"\balready (?:a subscriber|have an? subscription|subscribed)\b",
    r"\b(?:read|unlock|access|get) the (?:full|whole|rest of the|complete|entire) (?:article|story|report)\b",
    r"\byou(?:['’]ve| have) (?:reached|used|read)\b[^.\n]{0,40}\b(?:free|limit|articles)\b|\bfree articles? (?:left|remaining)\b",
    r"\bjetzt (?:weiterlesen|abonnieren)|\bnur f[üu]r abonnenten|\bmit (?:dem )?abo (?:lesen|weiterlesen)",
    r"\br[ée]serv[ée]e?s? (?:aux|à nos) abonn[ée]s|\bs['’]abonner pour|\bpara (?:suscriptores|seguir leyendo)|\briservato agli abbonati",
    r"会員限定|有料会員|この記事は有料|続きを読むには|订阅后|訂閱後|付费(?:阅读|内容)",
)

NEEDS_SCRIPT = _any(
    r"\b(?:enable|activate|turn on|switch on|requires?|needs?|without|allow)\b[^.\n]{0,30}\bjavascript\b",
    r"\bjavascript\b[^.\n]{0,40}\b(?:enable|required|disabled|must|needed|necessary|turn|to (?:run|view|use|see))",
    r"javascript (?:aktivieren|aktiviert|benötigt)|activer javascript|active javascript|habilit(?:e|ar?) javascript",
    r"javascript\s*を(?:有効|オン)|启用\s*javascript|啟用\s*javascript|включите javascript",
)
