"""Custom definitions measured as paper 000 does: texts of the defined type on images, with no, one or more examples."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from deidra.app.decide.policy import Policy
from deidra.app.decide.tagging import tagger_of
from deidra.app.decide.verdict import verdict_of
from deidra.app.detect.drafts import region_drafts
from deidra.app.detect.tagger import EntityTagger
from deidra.app.domain.geometry import Box, area, bounding_box, intersection_area
from deidra.app.domain.model import Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.evaluate.definition_images import ELEVEN, LABELS, PASSPORT, ReadImage, prepare, read_image, text_of
from deidra.app.evaluate.detector_papers import published
from deidra.app.parallel import team
from deidra.app.progress import Meter, ProgressSink

Figures = dict[str, Any]
SPLIT = "test"
SHOTS = (0, 1, 2, 3, 4, 5)
WORDS = {
    "Name": ("names", ""),
    "DOB": ("dates of birth", ""),
    "SSN": ("social security numbers", ""),
    "Email": ("email addresses", ""),
    "Phone Number": ("phone numbers", ""),
    "Address": ("addresses", ""),
    "Medical Number": ("medical record numbers", ""),
    "Disease Name": ("disease names", ""),
    ELEVEN: ("11-digit phone numbers", "phone numbers with a format of 11 digits"),
    PASSPORT: ("passport numbers", "begins with a letter and ends with eight numbers"),
}
"""Name and description of each definition; those of the new types in the words of section 4.4."""
EXAMPLES = {
    **{"Name": "Joe Dohn", "DOB": "18 Jun 1983", "SSN": "071-30-5000", "Email": "54jnz@hotmail.com"},
    **{"Phone Number": "555-304-8389", "Address": "086 Holt Summit, CT 58671", "Medical Number": "MRN93987011"},
    **{"Disease Name": "Migraine", ELEVEN: "15553048389", PASSPORT: "A12345678"},
}
"""One example of each type: those of table 2, of the new types made up."""
_EXAMPLES_SEED = 404
_SHARED = 0.5
"""Of a true text this share must lie in what is found, or of what is found in it."""
NOTE = (
    "The images are ours after table 1 of the paper, so the figures show the same measure and not a contest: texts on "
    "CT, MR and X-ray images, with words, backgrounds and seeds of the test split. A text counts if it is found at its "
    "place; for the F1 of the text every letter must be read as well, blanks and wide forms aside. Examples are those "
    "of table 2, and of the training split where their number varies."
)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured: ``images`` images, read by ``workers`` processes; the result is written into ``out``."""

    out: Path
    images: int
    policy: Policy
    workers: int = 1


@dataclass(slots=True)
class Tally:
    """Counts of one type under one policy."""

    truth: int = 0
    found: int = 0
    placed: int = 0
    exact: int = 0
    others: int = 0
    others_masked: int = 0

    def figures(self) -> Figures:
        """Counts, and F1 of the text and of the place."""
        total = self.truth + self.found
        return {
            "texts": self.truth,
            "found": self.found,
            "f1_text": round(2 * self.exact / total, 4) if total else None,
            "f1_place": round(2 * self.placed / total, 4) if total else None,
            "recall": round(self.placed / self.truth, 4) if self.truth else None,
            "others": self.others,
            "others_masked": self.others_masked,
        }


def measure_definitions(plan: Plan, progress: ProgressSink | None = None) -> Figures:
    """All figures; written to ``definitions.json`` in the plan's folder."""
    meter = Meter("images", plan.images, progress, None)
    images = []
    with team(plan.workers, prepare, plan.policy, plan.workers) as crew:
        for image in crew.map(read_image, [SPLIT] * plan.images, range(plan.images)):
            images.append(image)
            meter.step()
    labels = list(WORDS)
    result: Figures = {
        "note": NOTE,
        "images": plan.images,
        "reading": _reading(images),
        "zero_shot": {label: measured(images, label, ()) for label in labels},
        "one_shot": {label: measured(images, label, (EXAMPLES[label],)) for label in labels},
        "shots": {
            label: {str(k): measured(images, label, examples_of(label, k)) for k in SHOTS}
            for label in ("Medical Number", "Email")
        },
        "examples_alone": {
            label: {str(k): measured(images, label, examples_of(label, k), described=False) for k in SHOTS[1:]}
            for label in (ELEVEN, PASSPORT)
        },
        "published": {key: published()["paper_000"][key] for key in ("labels", "f1", "new")},
    }
    plan.out.mkdir(parents=True, exist_ok=True)
    (plan.out / "definitions.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return result


def examples_of(label: str, count: int) -> tuple[str, ...]:
    """``count`` values of a type from the training split; more examples begin with the fewer."""
    rng = np.random.default_rng([_EXAMPLES_SEED, list(WORDS).index(label)])
    return tuple(text_of(rng, "train", label) for _ in range(count))


def policy_for(label: str, examples: Sequence[str], described: bool = True) -> Policy:
    """A policy under which one type alone is private, defined in words and by examples."""
    name, description = WORDS[label]
    if not described:
        # The name of a new type tells its form as well.
        name, description = {ELEVEN: "phones of clients", PASSPORT: "passports"}[label], ""
    entry = {"name": name, "description": description, "examples": list(examples)}
    return Policy.model_validate({"detect": {"only": name}, "definitions": [entry]})


def measured(images: Iterable[ReadImage], label: str, examples: Sequence[str], described: bool = True) -> Figures:
    """Figures of a type under a definition: of all that is found, and of what is masked without asking."""
    policy = policy_for(label, examples, described)
    tagger = tagger_of(policy, ())
    every, alone = Tally(), Tally()
    for image in images:
        found = _found(image, tagger, policy)
        _count(every, image, label, found)
        _count(alone, image, label, [one for one in found if one[2] is Verdict.AUTO])
    return {**every.figures(), "without_asking": alone.figures()}


_Found = tuple[str, Box, Verdict]


def _found(image: ReadImage, tagger: EntityTagger, policy: Policy) -> list[_Found]:
    """What is found on an image; text that nobody can read is of no type and left out."""
    found: list[_Found] = []
    for draft in region_drafts(image.read, tagger, policy.detect.unknown_words):
        verdict = verdict_of(draft, policy)
        if verdict is not Verdict.IGNORE and draft.polygon is not None and draft.type is not EntityType.UNREAD:
            found.append((draft.text, bounding_box(draft.polygon), verdict))
    return found


def _count(tally: Tally, image: ReadImage, label: str, found: Sequence[_Found]) -> None:
    """Every true text takes at most one of what is found, best one that says the same."""
    left = list(found)
    tally.found += len(found)
    for one in image.truth:
        here = [f for f in left if _meet(one.box, f[1])]
        if one.label != label:
            tally.others += 1
            tally.others_masked += any(f[2] is Verdict.AUTO for f in here)
            continue
        tally.truth += 1
        if here:
            best = max(here, key=lambda f: (_plain(f[0]) == _plain(one.text), intersection_area(one.box, f[1])))
            left.remove(best)
            tally.placed += 1
            tally.exact += _plain(best[0]) == _plain(one.text)


def _meet(a: Box, b: Box) -> bool:
    return intersection_area(a, b) >= _SHARED * max(1, min(area(a), area(b)))


def _plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


def _reading(images: Iterable[ReadImage]) -> Figures:
    """By type the texts on the images, and the share that the first reader reads without a mistake."""
    figures: Figures = {label: {"texts": 0, "read": 0} for label in LABELS.values()}
    for image in images:
        lines = [(line.text, bounding_box(line.polygon)) for line in image.read.lines]
        for one in image.truth:
            own = figures[one.label]
            own["texts"] += 1
            own["read"] += any(_meet(one.box, box) and _plain(one.text) in _plain(text) for text, box in lines)
    return figures


def summary(result: Figures) -> list[str]:
    """The figures as lines for a terminal."""
    told = result["published"]
    full = told["f1"][0]["values"]
    theirs = dict(zip(told["labels"], full, strict=True)) | dict(
        zip((ELEVEN, PASSPORT), told["new"][0]["values"], strict=True)
    )
    lines = [
        f"{result['images']} images; F1 of the text (of the place), with no and with one example; the paper's full"
    ]
    for label in result["one_shot"]:
        none, one = result["zero_shot"][label], result["one_shot"][label]
        lines.append(
            f"{label:<22} {none['f1_text']} ({none['f1_place']})   {one['f1_text']} ({one['f1_place']}), masked alone "
            f"{one['without_asking']['f1_text']} ({one['without_asking']['f1_place']}); paper {theirs[label]}; others "
            f"masked {one['others_masked']} of {one['others']}; {one['texts']} texts, read rightly "
            f"{result['reading'][label]['read']}"
        )
    for name in ("shots", "examples_alone"):
        for label, row in result[name].items():
            figures = ", ".join(f"{k}: {f['f1_text']} ({f['f1_place']})" for k, f in row.items())
            lines.append(f"{label}, {name.replace('_', ' ')}: {figures}")
    return lines
