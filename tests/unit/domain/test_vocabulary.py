from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from deidra.app.domain import errors
from deidra.app.domain.model import Action, Asset, AssetKind, DecisionKind, Finding, Verdict
from deidra.app.domain.taxonomy import TYPES, EntityType

FINDING = Finding("f", "a", 0, None, None, None, "", None, 0.5, 0.0, 0.0, Verdict.QUEUE, Action.REDACT)


@pytest.mark.parametrize("kind", EntityType)
def test_every_type_has_a_label_a_risk_and_perhaps_a_hipaa_letter(kind: EntityType) -> None:
    info = TYPES[kind]
    assert info.label
    assert 0 < info.risk <= 100
    # 45 CFR 164.514(b)(2)(i) has the letters A to R.
    assert info.hipaa in {"", *"ABCDEFGHIJKLMNOPQR"}


def test_no_two_types_share_a_label() -> None:
    assert len({info.label for info in TYPES.values()}) == len(EntityType)


@pytest.mark.parametrize("verdict", Verdict)
@pytest.mark.parametrize("decision", [None, *DecisionKind])
def test_a_finding_waits_while_it_is_queued_and_undecided(verdict: Verdict, decision: DecisionKind | None) -> None:
    finding = replace(FINDING, verdict=verdict, decision=decision)
    assert finding.pending == (verdict is Verdict.QUEUE and decision is None)


def test_values_of_the_vocabulary_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        FINDING.text = "other"


def test_a_member_of_an_archive_is_named_behind_its_path() -> None:
    asset = Asset("a", "/in/x.zip", "b/c.dcm", "", 0, AssetKind.DICOM)
    assert asset.location == "/in/x.zip!b/c.dcm"
    assert replace(asset, member="").location == "/in/x.zip"


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (errors.InputError, 2),
        (errors.PolicyError, 2),
        (errors.StoreError, 2),
        (errors.ModelError, 2),
        (errors.ReleaseBlocked, 3),
        (errors.VerificationFailed, 4),
    ],
)
def test_a_known_error_has_a_message_an_advice_and_an_exit_status(kind: type[errors.KnownError], status: int) -> None:
    error = kind("what", "do this")
    assert isinstance(error, errors.KnownError)
    assert (str(error), error.advice, error.exit_status) == ("what", "do this", status)
    assert kind("what").advice == ""


def test_a_cancelled_job_is_no_error_to_show() -> None:
    assert not issubclass(errors.Cancelled, errors.KnownError)
