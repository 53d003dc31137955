"""Whether an answer says that it does not know, instead of answering."""

# ruff: noqa: RUF001  # marks of many scripts stand here on purpose

import re

__all__ = ["is_abstention"]

_PHRASES = re.compile(
    r"(?:could|can|was|were|am|have)\s?(?:not|n't|n’t)\s(?:been able to |be able to |able to )?"
    r"(?:find|verify|confirm|determine|locate|answer|establish|access|open|be (?:found|verified|"
    r"confirmed|determined|answered))"
    r"|\bcannot (?:find|verify|confirm|determine|answer|be (?:found|verified|confirmed|determined|answered))"
    r"|\b(?:unable|failed) to (?:find|verify|confirm|determine|locate|answer|access|open)"
    r"|\bno (?:reliable |relevant |verifiable )?(?:information|sources?|pages?|evidence|answer|data|results?)"
    r" (?:was |were |is |are |could be |can be )?(?:found|available|located|given)"
    r"|\bdid(?: not|n't|n’t) find\b|\b(?:found|there is|there was) no (?:information|source|page|evidence|answer)"
    r"|\bi (?:do not|don't|don’t) know\b"
    r"|\bkonnte(?:n)? (?:ich |wir )?(?:\S+ ){0,6}?nicht (?:finden|bestätigen|überprüfen|öffnen|ermitteln|beantworten)"
    r"|\bkeine (?:Angaben?|Informationen|Quellen?|Seiten?) (?:\S+ ){0,3}?(?:gefunden|vorhanden)"
    r"|\bje n'ai (?:pas|rien) (?:pu |)(?:trouv|vérifi|confirm)|\baucune (?:information|source|page) (?:\S+ ){0,3}?trouvée"
    r"|\bno (?:pude|he podido|se pudo) (?:encontrar|verificar|confirmar)"
    r"|\bkunde (?:jag )?inte (?:hitta|bekräfta|verifiera)|\bhittade inga?\b"
    r"|\bkunne ikke (?:finde|bekræfte|finne|bekrefte)\b"
    r"|(?:見つか|確認でき|分か|わか|判明し)(?:り|ませ|なか|らな)|見つけられ|確認できま|情報はあり(?:ませ)"
    r"|(?:找不到|未找到|无法确认|無法確認|没有找到)",
    re.IGNORECASE,
)  # fmt: skip
OPENING_CHARS = 400
"""An answer abstains where it begins; a gap owned up to at the end of a long one is honesty."""


def is_abstention(answer: str) -> bool:
    """Return whether the answer's opening says that nothing was found or could be verified.

    >>> is_abstention("I could not verify the figure.")
    True
    >>> is_abstention("The figure is 12 [1].")
    False
    """
    return _PHRASES.search(answer[:OPENING_CHARS]) is not None
