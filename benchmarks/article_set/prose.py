"""Prose in five languages for the pages of the article set: other words on every page, same on every run."""

# ruff: noqa: RUF001, SIM905 - lists of words read best as lines of words, in their own letters

import random
from collections.abc import Callable

TOPICS = {
    "harbour": "quay dredger ferry tide pilot cargo breakwater container mooring customs crane lighthouse fleet "
    "shipyard channel berth captain freight anchor lock estuary barge deckhand tugboat pier",
    "orchard": "apple harvest graft frost cider blossom pruning hedge beekeeper pest rootstock variety crate ladder "
    "press soil drainage sapling cooperative pear wasp compost picker cellar seedling",
    "rail": "tram signal platform timetable viaduct locomotive carriage junction commuter depot tunnel sleeper "
    "ticket gauge driver embankment freight siding conductor catenary delay switchyard fare bogie rail",
    "clinic": "patient nurse vaccine ward dosage trial surgeon clinic diagnosis prescription symptom insurer "
    "placebo cohort laboratory infection pharmacist therapy registry scan bed referral outbreak sample serum",
    "budget": "treasury levy deficit council auditor subsidy ledger tariff bond pension committee invoice surplus "
    "grant payroll inflation procurement reserve creditor ratepayer mayor ballot motion clause contract",
    "glacier": "moraine crevasse meltwater snowfield summit avalanche sensor ridge expedition core isotope ranger "
    "valley scree altitude forecast cairn sediment hydrologist erosion slope bedrock plateau torrent boulder",
    "museum": "curator fresco archive restorer gallery donor catalogue easel tapestry exhibition pigment vault "
    "manuscript sculptor portrait visitor loan forgery ceramic auction frame varnish workshop relic collector",
    "software": "compiler socket buffer release scheduler parser kernel patch repository latency thread cache "
    "maintainer interface module allocator token benchmark regression sandbox queue protocol decoder index heap",
    "kitchen": "dough oven flour skillet simmer broth pastry saffron crust ladle yeast marinade spatula caramel "
    "shallot vinegar stock butter colander batter garnish zest glaze whisk chestnut",
    "football": "goalkeeper midfield penalty league coach striker stadium referee transfer captain corner injury "
    "substitute supporter training trophy derby tackle header defender contract bench whistle season fixture",
}
_PLACES = (
    "Norrvik Altenbruck Casterly Marbrook Tessino Velden Ostrava Quimby Dunmore Lakemouth Brennick "
    "Sandholm Corvale Pellworth Istra Hallow Fennbridge Torvala Arkwright Mirefield"
).split()
_FIRST = "Maren Tobias Ilse Rafael Nadia Kwame Pilar Jonas Edith Hamid Greta Soren Amara Luca Yuki Farid Agnes Otis".split()
_LAST = (
    "Holloway Brandt Okafor Lindqvist Marchetti Vasquez Novak Perrin Achterberg Sato Delacroix Whitlock Ferrara "
    "Oduya Kessler Amundsen Thorne Bakari"
).split()
_VERBS = (
    "inspected replaced described delayed financed questioned rebuilt abandoned measured surveyed defended inherited "
    "postponed registered repaired expanded criticised approved rejected documented"
).split()
_ADJECTIVES = (
    "narrow reluctant costly forgotten steady uneven promising fragile temporary ambitious modest crowded quiet "
    "stubborn unusual regional reliable hasty deliberate obsolete"
).split()
_ADVERBS = (
    "quietly twice eventually barely publicly gradually rarely openly again deliberately".split()
)
_ROLES = "engineer spokeswoman historian volunteer inspector economist teacher caretaker researcher manager".split()
_BODIES = "county assembly institute ministry trust university guild agency company union".split()
_MONTHS = (
    "January February March April May June July August September October November December".split()
)

_ENGLISH = (
    "The {n} near {P} was {v} by {r} {F} {L}, who called the {n} {a} and {a}.",
    "“We {v} the {n} in {y},” said {F} {L}, {r} at the {P} {b}, “and nobody asked about the {n}.”",
    "Nearly {d} per cent of each {n} depends on a {a} {n}, according to figures that the {b} {v} last {m}.",
    "In {y} the {b} {D} {v} its {a} {n}, although the {n} had cost {d} million.",
    "{L} {D} {v} the {n}; the {a} {n} followed {d} weeks later.",
    "Without a {n}, the {r} argued, any {a} {n} between {P} and {P} would be {a}.",
    "Few people in {P} remember how {a} the {n} looked before {m} {y}.",
    "The {b} wants {d} more {n} projects, each with a {a} {n} and a {n} of its own.",
    "When the {n} failed in {m}, {r} {F} {L} {v} it for {d} days and {D} published the result.",
    "That {n} is {a}, but it explains why the {n} of {P} was {D} {v}.",
    "A second {n}, larger and more {a}, has been {v} since {y} by the {P} {b}.",
    "Critics say the {n} is too {a}: {d} of its {n} units were never {v}.",
    "Its {n} and its {n} share one {a} {n}, which the {b} {v} in {m}.",
    "For {L}, the {a} part was not the {n} but the {n}, {v} {d} times before {y}.",
)
_COMMENTS = (
    "I {v} my own {n} back in {y} and it was {a} then too.",
    "Great piece, thank you! My uncle from {P} always said the {n} was {a}.",
    "@{F}{L} you are wrong about the {n}, it was {v} in {y}, not later.",
    "Does anybody know whether the {n} in {P} is still {a}? Asking for a friend.",
    "This {n} nonsense again. Somebody {D} {v} it and we pay {d} million.",
    "Typo in the second paragraph, otherwise a {a} read about the {n}.",
)
_HEADLINES = (
    "{P} {n} {v} after {d} years",
    "Why the {a} {n} matters to {P}",
    "{d} things to know about the {n}",
    "How a {r} {v} the {a} {n}",
    "{L}: the {n} was {D} {v}",
    "Inside the {a} {n} of {P}",
)
_BIOS = (
    "{F} {L} writes about the {n} and the {n} for this site, and has {v} the {n} from {P} since {y}.",
    "{F} {L} is a {r} based in {P} who covers the {a} {n}. Before, {L} worked for the {b} of {P}.",
)
_CAPTIONS = (
    "The {n} at {P} in {m} {y}, seen from the {a} {n}",
    "{F} {L} with a {a} {n} in {P}",
    "Visitors at the {a} {n} on {m} {d}",
)

_GERMAN = (
    "Der Bau am {k} von {P} wurde {y} von {F} {L} geprüft und galt seither als {g}.",
    "„Wir haben den Plan für {k} und {k} selbst geschrieben“, sagte {F} {L} aus {P} im {m}.",
    "Fast {d} Prozent der Kosten entfallen nach Angaben der Behörde auf {k}, obwohl der Stadtrat {g} blieb.",
    "Seit {y} streiten Gemeinde und Betreiber darüber, ob {k} in {P} noch {g} genug ist.",
    "Erst nach {d} Wochen lag ein Gutachten vor, das {L} als {g} und {g} bezeichnete.",
    "Ohne {k} bliebe die Strecke zwischen {P} und {P} {g}, warnte der Verband im {m} {y}.",
)
_GERMAN_NOUNS = (
    "Brücke Schleuse Genossenschaft Haushalt Werkstatt Krankenhaus Leitung Fahrplan Ernte Archiv Gletscher "
    "Kaimauer Sporthalle Förderung Hochwasser Rathaus Sammlung Mühle Obstgarten Leuchtturm"
).split()
_GERMAN_ADJECTIVES = "baufällig umstritten teuer vorläufig veraltet sorgfältig überfüllt ungewöhnlich zuverlässig".split()
_FRENCH = (
    "Le chantier de {k}, près de {P}, a été suivi en {y} par {F} {L}, qui le jugeait {g}.",
    "« Nous avons réparé {k} sans aide », raconte {F} {L}, élue de {P}, au mois de {m}.",
    "Près de {d} % des dépenses concernent {k}, selon un rapport que le conseil estime {g}.",
    "Depuis {y}, la commune et l’exploitant se disputent {k}, devenu {g} pour les habitants de {P}.",
    "Il a fallu {d} semaines pour que {L} publie une étude jugée à la fois {g} et {g}.",
    "Sans {k}, la ligne entre {P} et {P} resterait {g}, prévient le syndicat.",
)
_FRENCH_NOUNS = (
    "l’écluse;la coopérative;le verger;l’atelier;la digue;le musée;l’hôpital;la récolte;le glacier;le budget;"
    "la fonderie;le phare;la passerelle;l’archive"
).split(";")
_FRENCH_ADJECTIVES = "fragile coûteux provisoire vétuste fiable inégal prometteur discret".split()
_SPANISH = (
    "La obra de {k}, cerca de {P}, fue revisada en {y} por {F} {L}, que la consideró {g}.",
    "«Arreglamos {k} sin ayuda de nadie», cuenta {F} {L}, vecina de {P}, en {m}.",
    "Casi el {d} % del gasto corresponde a {k}, según un informe que el ayuntamiento llama {g}.",
    "Desde {y}, los vecinos y la empresa discuten por {k}, hoy {g} para la gente de {P}.",
    "Pasaron {d} semanas hasta que {L} publicó un estudio {g} y {g}.",
    "Sin {k}, la línea entre {P} y {P} seguiría siendo {g}, advierte el sindicato.",
)
_SPANISH_NOUNS = (
    "la esclusa;la cooperativa;el huerto;el taller;el dique;el museo;el hospital;la cosecha;el glaciar;"
    "el presupuesto;la fundición;el faro;la pasarela;el archivo"
).split(";")
_SPANISH_ADJECTIVES = (
    "frágil costosa provisional antigua fiable desigual prometedora discreta".split()
)
_JAPANESE = (
    "{y}年、{k}の{k}は{g}と評価され、関係者は{d}週間かけて調査を続けた。",
    "「{k}を修理したのは住民だけだった」と、{k}の担当者は{d}日に語った。",
    "費用の約{d}パーセントは{k}に充てられ、{k}は今も{g}ままだという。",
    "{k}がなければ{k}は{g}と、組合は{y}年の報告書で指摘している。",
    "専門家は、{k}と{k}の関係を{g}ものとして{d}回にわたり検討した。",
)
_JAPANESE_NOUNS = "水門 協同組合 果樹園 工房 防波堤 博物館 病院 収穫 氷河 予算 鋳物工場 灯台 歩道橋 文書館 市役所 渡し船".split()
_JAPANESE_ADJECTIVES = "不安定な 高価な 一時的な 古い 信頼できる 珍しい 静かな 慎重な".split()

_FOREIGN = {
    "de": (_GERMAN, _GERMAN_NOUNS, _GERMAN_ADJECTIVES),
    "fr": (_FRENCH, _FRENCH_NOUNS, _FRENCH_ADJECTIVES),
    "es": (_SPANISH, _SPANISH_NOUNS, _SPANISH_ADJECTIVES),
    "ja": (_JAPANESE, _JAPANESE_NOUNS, _JAPANESE_ADJECTIVES),
}


class Prose:
    """Sentences about one topic in one language."""

    def __init__(
        self, rng: random.Random, *, language: str = "en", topic: str | None = None
    ) -> None:
        self._rng = rng
        self._language = language
        self.topic = topic or rng.choice(sorted(TOPICS))
        self._nouns = TOPICS[self.topic].split()
        self._last: list[str] = []

    def sentence(self) -> str:
        """Return one sentence of an article."""
        return self._fill(_ENGLISH if self._language == "en" else _FOREIGN[self._language][0])

    def paragraph(self, sentences: int = 3) -> str:
        """Return some sentences."""
        return ("" if self._language == "ja" else " ").join(
            self.sentence() for _ in range(sentences)
        )

    def comment(self) -> str:
        """Return what a reader writes below an article."""
        return self._fill(_COMMENTS if self._language == "en" else _FOREIGN[self._language][0])

    def headline(self) -> str:
        """Return the title of an article."""
        if self._language == "en":
            return self._fill(_HEADLINES)
        return (
            self._fill(_FOREIGN[self._language][0])
            .partition("," if self._language != "ja" else "、")[0]
            .strip(".„«「» ")
        )

    def heading(self) -> str:
        """Return the title of a part of an article."""
        if self._language == "en":
            return self._fill(("A {a} {n}", "The {n} and the {n}", "What the {r} {v}", "After {y}"))
        return self._fill(("{k}: {g}",) if self._language != "ja" else ("{k}の{k}",))

    def bio(self) -> str:
        """Return what a site says of an author."""
        return self._fill(_BIOS if self._language == "en" else _FOREIGN[self._language][0])

    def caption(self) -> str:
        """Return the words below a picture."""
        return self._fill(_CAPTIONS) if self._language == "en" else self.heading()

    def name(self) -> str:
        """Return the name of a person."""
        return self._fill(("{F} {L}",))

    def _fill(self, forms: tuple[str, ...]) -> str:
        form = self._rng.choice(forms)
        parts = form.split("{")
        return parts[0] + "".join(self._value(part[0]) + part[2:] for part in parts[1:])

    def _value(self, key: str) -> str:
        _, nouns, adjectives = _FOREIGN.get(self._language, ((), (), ()))
        pick = self._rng.choice
        makers: dict[str, Callable[[], str]] = {
            "n": lambda: pick(self._nouns),
            "P": lambda: pick(_PLACES),
            "F": lambda: pick(_FIRST),
            "L": lambda: pick(_LAST),
            "v": lambda: pick(_VERBS),
            "a": lambda: pick(_ADJECTIVES),
            "D": lambda: pick(_ADVERBS),
            "r": lambda: pick(_ROLES),
            "b": lambda: pick(_BODIES),
            "m": lambda: pick(_MONTHS),
            "d": lambda: str(self._rng.randint(2, 97)),
            "y": lambda: str(self._rng.randint(1874, 2025)),
            "k": lambda: pick(list(nouns)),
            "g": lambda: pick(list(adjectives)),
        }
        return makers[key]()
