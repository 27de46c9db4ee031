"""States of health by their names: lists of common ones, and the endings that names of diseases have.

For pages of forms and letters only, and only where a policy calls health private: reports on images are full of such
words, which say nothing of who somebody is.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from importlib import resources

from deidra.app.detect.spans import Span
from deidra.app.domain.taxonomy import EntityType

AGENT = "rules"
SAID, NAMED = 0.93, 0.6
"""Scores of a condition that somebody is said to have, and of one that is only named: a curator is asked."""
_GREEK = (
    r"(?!\w*(?:diagnos|prognos|osmos|metamorphos|apotheos|metropol|acropol|biops|autops|synops|analys|photograph))"
    r"[a-z]{3,}(?:itis|osis|oses|iasis|aemia|emia|opathy|algia|plegia|paresis|penia|uria|rrh?ea|rrhoea|cytosis|phobia"
    r"|mania|oma|omas|sclerosis|megaly|plasia|trophy|stenosis|ectasis|phrenia|somnia|tension|thyroidism|glycemia"
    r"|lipidemia|epsy|itides|ectomy|rrhage|rrhagia)"
)
"""Endings of the names of diseases; words that end so and are none stand before."""
_NO_CONDITION = frozenset(
    " ".join(
        [
            "diploma aroma oklahoma roma tacoma sonoma coma tension extension pretension bohemia trophy academia those",
            "romania tasmania germania lithuania dose doses purposes roses noses loses closes poses exposes hoses",
        ]
    ).split()
)
_HEAD = (
    r"(?:disease|syndrome|disorder|cancer|carcinoma|tumou?r|infection|fracture|failure|deficiency|insufficiency|injury"
    r"|dystrophy|palsy|allergy|attack|ulcer|pain|addiction|dependence|disability|impairment|intolerance|anomaly|poisoning)s?"
)
_QUALIFIER = (
    r"(?:(?:chronic|acute|severe|mild|moderate|recurrent|advanced|early|late|onset|stage|type|grade|insulin|dependent"
    r"|juvenile|gestational|essential|primary|secondary|bilateral|left|right|high|low|ovarian|breast|lung|prostate|colon"
    r"|skin|heart|kidney|liver|bowel|brain|mental|major|allergic|bronchial|pulmonary|cardiac|renal|hepatic|non|small"
    r"|cell|cold|common|food|peanut|seasonal|i{1,3}|iv|[0-9]|controlled|uncontrolled|congenital|hereditary|suspected|familial"
    r"|[a-z]{2,}(?:tive|atic|oid|astic|iatic|ulous))"
    r"[\s-]{1,2}){0,4}"
)
_SAID = re.compile(
    r"(?:suffer(?:s|ed|ing)?\s(?:\w+\s)?from|liv(?:es|ed|ing)\swith|diagnos(?:ed|is|es)\s(?:\w+\s){0,2}(?:with|of|as|is|was)"
    r"|treat(?:ed|ing|ment)\s(?:\w+\s){0,2}(?:for|of)|history\s(?:\w+\s)?of|histor[yi]\w*\s(?:at\s\w+\s?\w*\s?)?:"
    r"|medicat\w+\s(?:\w+\s)?for|because\sof|due\sto|complain\w*\sof|present(?:s|ed|ing)?\s(?:\w+\s)?with|(?:has|have|had)"
    r"(?:\s(?:a|an|been|long|well|known|severe|mild|now|also)\b)*|known\s(?:for|to\shave)|admitted\s(?:\w+\s)?(?:for|with)"
    r"|follow(?:ed|ing)?[\s-]?up\s(?:for|of)|case\sof|with|for|is|was|of)\s*:?\s*$",
    re.IGNORECASE,
)
"""Words before a condition that say that somebody has it."""
_DENIED = re.compile(
    r"\b(?:leaflet|brochure|clinic|department|institute|society|association|foundation|research)\b", re.I
)


@functools.cache
def _pattern() -> re.Pattern[str]:
    text = (resources.files(__package__) / "data" / "conditions.txt").read_text("utf-8")
    listed = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    words = "|".join(re.escape(one).replace(r"\ ", r"[\s-]") for one in sorted(listed, key=len, reverse=True))
    named = rf"(?:{words})(?:(?:'|’)?s|ic)?"
    with_head = rf"(?:[a-z]+(?:'|’)s\s{_HEAD}|(?:{named}|{_GREEK}|[a-z]+(?:ic|al|ous|ive|ary|ar|oid|eal|iac))\s{_HEAD})"
    behind = r"(?:\s(?:mellitus|type\s[0-9i]{1,3}|stage\s[0-9i]{1,3}|grade\s[0-9i]{1,3}|in\sremission))?"
    return re.compile(rf"(?<![\w@.-]){_QUALIFIER}(?:{with_head}|{named}|{_GREEK}){behind}(?![\w@])", re.IGNORECASE)


def condition_spans(text: str) -> Iterator[Span]:
    """Names of states of health in a text, with the words that say of which kind they are.

    Where words before say that somebody has it, or nothing else stands in the text, it is hardly anything else.
    """
    for match in _pattern().finditer(text):
        words = match.group().lower().split()
        if words[-1] in _NO_CONDITION:
            continue
        alone = not any(map(str.isalnum, text[: match.start()] + text[match.end() :]))
        said = bool(_SAID.search(text[: match.start()])) and not _DENIED.search(text)
        yield Span(
            match.start(), match.end(), EntityType.HEALTH, SAID if said or alone else NAMED, AGENT, "a condition"
        )
