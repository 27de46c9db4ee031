"""Decoys are made: header values with a made-up private value, of the kind that the policy asks about.

A decoy goes through the same detection and the same policy as any value, and only one that comes out as a question is
planted. So it looks like the others in every respect: agents, score, variance, reason and proposal.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from faker import Faker
from pydicom import Dataset
from pydicom.datadict import dictionary_VR, tag_for_keyword
from pydicom.tag import BaseTag, Tag

from deidra.app.decide.policy import Policy
from deidra.app.decide.surrogates import Surrogates
from deidra.app.decide.tagging import tagger_of
from deidra.app.decide.verdict import findings_of
from deidra.app.detect.fields import field_drafts
from deidra.app.domain.errors import InputError
from deidra.app.domain.model import Action, Asset, AssetKind, AssetStatus, Finding, Verdict
from deidra.app.load.dicom import read_dataset
from deidra.app.load.sources import Source
from deidra.app.metadata.changes import FieldChange
from deidra.app.metadata.keys import ProjectKey
from deidra.app.metadata.profile import Code
from deidra.app.subjects import Subjects
from deidra.storage import ProjectStore
from deidra.storage.findings import FindingFilter

MOST = 100
"""Decoys of one project: with so many, the interval of a sensitivity of 95 % is 9 points wide."""
_TRIES = 30
"""For each decoy; about a third of all texts come out as a question."""
_STORED = "decoys_planted"
_FILES = 400
"""Among so many files decoys are spread."""
_ATTRIBUTES = (
    "PatientComments",
    "ImageComments",
    "StudyDescription",
    "SeriesDescription",
    "RequestedProcedureDescription",
    "StudyComments",
    "AdditionalPatientHistory",
    "PerformedProcedureStepDescription",
    "CommentsOnThePerformedProcedureStep",
    "ReasonForStudy",
    "ProtocolName",
    "AcquisitionComments",
    "AcquisitionProtocolDescription",
    "InterventionDescription",
    "FilterMaterial",
    "ContentDescription",
    "TransducerData",
    "ProcessingFunction",
    "ViewName",
    "StageName",
    "LUTExplanation",
    "WindowCenterWidthExplanation",
)
"""Attributes in which texts of people stray; those are used that the policy keeps and the file does not have."""
_FORMS = (
    "{name}",
    "{comma}",
    "{lower}",
    "{upper} AX T2",
    "t1 {lower}",
    "ask {initials}",
    "for {initials}",
    "as {name}",
    "repeat {comma}",
    "{name} moved",
    "prior {lower}",
    "cor stir {lower}",
    "cmp {name}",
    "w/o contrast {initials}",
    "pt no. {number}",
    "prior exam {code}",
    "pat {code} localizer",
    "acc {code}",
    "call {phone}",
    "{phone} husband",
    "lives in {city}",
    "moved to {city}",
)
"""Everybody who reads one of these as a whole sees that it is about a person."""


class _Maker:
    """Writes texts with made-up private values."""

    def __init__(self, seed: int) -> None:
        self._faker = Faker("en_US")
        self._faker.seed_instance(seed)
        self._rng = Random(seed)  # noqa: S311 - a sample, no secret

    def text(self) -> str:
        """A text with one private value."""
        return re.sub(r"{(\w+)}", lambda found: self._value(found[1]), self._rng.choice(_FORMS))

    def _value(self, kind: str) -> str:
        first, last = self._faker.first_name(), self._faker.last_name()
        values = {
            "name": f"{first} {last}",
            "comma": f"{last}, {first}",
            "lower": f"{first} {last}".lower(),
            "upper": f"{last} {first}".upper(),
            "initials": f"{first[0]}. {last}",
            "number": str(self._rng.randint(10**6, 10**8)),
            "code": self._faker.bothify("??######").upper(),
            "phone": self._faker.numerify("%##-####"),
            "city": self._faker.city(),
        }
        return values[kind]


class Decoys:
    """Plants the decoys that a policy asks for."""

    def __init__(self, store: ProjectStore, key: ProjectKey, policy: Policy) -> None:
        self._store, self._key, self._policy = store, key, policy

    def plant(self, actor: str) -> None:
        """Put so many decoys among what waits as the policy says. The same project and policy give the same ones.

        Nothing is done where nothing has changed since.
        """
        share, before = self._policy.review.decoys, self._store.value(_STORED)
        if not share and before is None:
            return
        asked = self._store.findings.count(FindingFilter(verdict=Verdict.QUEUE))
        wanted = min(MOST, math.ceil(share * asked - 1e-9))
        files = self._files()
        facts = f"{self._policy.digest} {wanted} {len(files)}"
        done = hashlib.sha256(facts.encode()).hexdigest()
        if before == done:
            return
        self._store.decoys.plant(self._made(wanted, files), actor)
        self._store.set_value(_STORED, done)

    def _files(self) -> list[Asset]:
        """DICOM files that somebody is asked about."""
        asked = {
            finding.asset_id
            for finding in self._store.findings.select(FindingFilter(verdict=Verdict.QUEUE), with_evidence=False)
        }
        return [
            asset
            for asset in self._store.assets.all()
            if asset.kind is AssetKind.DICOM and asset.id in asked and asset.status is AssetStatus.DECIDED
        ]

    def _made(self, wanted: int, files: Sequence[Asset]) -> list[Finding]:
        if not wanted or not files:
            return []
        rng = Random(self._policy.review.seed)  # noqa: S311 - a sample, no secret
        chosen = rng.sample(files, min(_FILES, len(files)))
        maker = _Maker(self._policy.review.seed)
        subjects = Subjects(self._store, self._key, self._policy)
        tagger = tagger_of(self._policy, ())
        surrogates = Surrogates(self._key)
        headers: dict[str, Dataset | None] = {}
        made: list[Finding] = []
        used: set[tuple[str, BaseTag]] = set()
        for number in range(wanted * _TRIES):
            if len(made) == wanted:
                break
            asset, text = rng.choice(chosen), maker.text()
            tag, keyword = rng.choice(self._attributes)
            if asset.id not in headers:
                headers[asset.id] = _header(asset)
            header = headers[asset.id]
            if header is None or tag in header or (asset.id, tag) in used:
                continue
            days = subjects.of(asset).shift_days
            change = FieldChange(_path(tag), keyword, dictionary_VR(tag), text, text, Action.KEEP, "")
            drafts = field_drafts([change], tagger, self._policy.cut_style(days))
            for finding in findings_of(asset, drafts, self._policy, self._key, surrogates, days):
                if finding.verdict is Verdict.QUEUE:
                    used.add((asset.id, tag))
                    made.append(replace(finding, id=self._id(number, text)))
        return made

    def _id(self, number: int, text: str) -> str:
        return self._key.token("finding", f"decoy {self._policy.review.seed} {number} {text}", 12).lower()

    @property
    def _attributes(self) -> Sequence[tuple[BaseTag, str]]:
        return list(_kept(self._policy))


def _kept(policy: Policy) -> Iterator[tuple[BaseTag, str]]:
    """Attributes whose text the policy keeps, so that a curator may be asked about it."""
    profile = policy.profile
    for keyword in _ATTRIBUTES:
        number = tag_for_keyword(keyword)
        if number is not None and profile.code(Tag(number)) in (Code.KEEP, Code.CLEAN, Code.ABSENT):
            yield Tag(number), keyword


def _path(tag: BaseTag) -> str:
    return f"({tag.group:04X},{tag.element:04X})"


def _header(asset: Asset) -> Dataset | None:
    """A file's header; None where it can no longer be read."""
    try:
        return read_dataset(Source(Path(asset.path), asset.member).read())
    except InputError:
        return None
