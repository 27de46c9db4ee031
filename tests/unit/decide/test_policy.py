from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deidra.app.decide.policy import (
    DEFAULT_PRESET,
    PRESETS,
    DateMode,
    Doubt,
    Fill,
    Policy,
    dump_policy,
    load_policy,
    parse_policy,
)
from deidra.app.detect.agents import AGENTS
from deidra.app.domain.errors import PolicyError
from deidra.app.domain.model import Identifier
from deidra.app.domain.taxonomy import TYPES, EntityType
from deidra.app.metadata.profile import Option

Write = Callable[..., str]
OPTIONS: dict[str, set[Option]] = {
    "basic": {Option.STRUCTURED_CONTENT, Option.MODIFIED_DATES},
    "tcia": {
        *(Option.STRUCTURED_CONTENT, Option.DESCRIPTORS, Option.PATIENT, Option.DEVICE, Option.PRIVATE),
        Option.MODIFIED_DATES,
    },
    "safe-harbor": {Option.STRUCTURED_CONTENT, Option.MODIFIED_DATES},
    "gdpr": {Option.STRUCTURED_CONTENT, Option.DESCRIPTORS, Option.MODIFIED_DATES},
    "limited": {Option.STRUCTURED_CONTENT, Option.DESCRIPTORS, Option.PATIENT, Option.FULL_DATES},
    "documents": {Option.STRUCTURED_CONTENT, Option.MODIFIED_DATES},
}


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    def to_file(text: str, name: str = "own.toml") -> str:
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return str(path)

    return to_file


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_loads_with_its_options(name: str) -> None:
    policy = load_policy(name)
    assert policy.name == name
    assert policy.description.endswith(".")
    assert policy.profile.options == OPTIONS[name]


def test_the_presets_differ() -> None:
    assert len({load_policy(name).digest for name in PRESETS}) == len(PRESETS)
    assert DEFAULT_PRESET in PRESETS


def test_a_policy_file_starts_from_a_preset_and_changes_single_keys(write: Write) -> None:
    policy = load_policy(write('extends = "tcia"\n[dates]\nleast_days = 40\n[redact]\nfill = "white"\n'))
    tcia = load_policy("tcia")
    assert policy.name == "own"
    assert policy.dates.least_days == 40
    assert policy.dates.mode is DateMode.SHIFT
    assert policy.redact.fill is Fill.WHITE
    assert policy.header == tcia.header
    assert policy.thresholds == tcia.thresholds


def test_a_policy_file_may_replace_the_options_of_its_preset(write: Write) -> None:
    policy = load_policy(write('extends = "tcia"\nname = "mine"\n[header]\noptions = ["device"]\n'))
    assert policy.name == "mine"
    assert policy.profile.options == {Option.DEVICE, Option.MODIFIED_DATES}


def test_an_empty_policy_file_is_all_defaults(write: Write) -> None:
    assert load_policy(write("")) == Policy()


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[thresholds]\nauto_score = 1.5", "thresholds.auto_score"),
        ("[thresholds]\nauto_variance = -1", "thresholds.auto_variance"),
        ("[thresholds]\nauto_scor = 0.5", "thresholds.auto_scor"),
        ("[header]\noptions = ['everything']", "header.options.0"),
        ("[header]\noptions = ['modified_dates']", "header"),
        ("[dates]\nmode = 'sometimes'", "dates.mode"),
        ("[dates]\nleast_days = 0", "dates.least_days"),
        ("[dates]\nleast_days = 100\nmost_days = 99", "dates"),
        ("[detect]\ntypes_off = ['NAMES']", "detect.types_off.0"),
        ("[detect]\nagents = []", "detect.agents"),
        ("[detect]\nagents = ['east']", "detect.agents.0"),
        ("[detect]\nagents = ['ppocr-det', 'ppocr-det']", "detect"),
        ("[thresholds]\ndoubt = 'some'", "thresholds.doubt"),
        ("[thresholds]\nunread_score = 1.1", "thresholds.unread_score"),
        ("[thresholds]\nboth_agents = 'often'", "thresholds.both_agents"),
        ("[redact]\nfill = 'red'", "redact.fill"),
        ("[redact]\npadding_least = 51", "redact.padding_least"),
        ("[unknown]\na = 1", "unknown"),
        ("[risk]\nPATIENTS = 1", "risk.PATIENTS"),
        ("name = 5", "name"),
    ],
)
def test_the_message_names_the_key_that_is_wrong(write: Write, text: str, key: str) -> None:
    with pytest.raises(PolicyError) as caught:
        load_policy(write(text))
    assert f" {key}" in str(caught.value)
    assert "own.toml" in str(caught.value)
    assert caught.value.advice


def test_several_wrong_keys_are_all_named(write: Write) -> None:
    with pytest.raises(PolicyError, match=r"auto_score.*; .*redact\.fill"):
        load_policy(write("[thresholds]\nauto_score = 2\n[redact]\nfill = 'red'"))


@pytest.mark.parametrize("name", ["nothing", "nothing.toml", "TCIA"])
def test_an_unknown_policy_is_told_with_the_presets(name: str) -> None:
    with pytest.raises(PolicyError, match=name) as caught:
        load_policy(name)
    assert all(preset in caught.value.advice for preset in PRESETS)


def test_an_unknown_preset_to_extend_is_told(write: Write) -> None:
    with pytest.raises(PolicyError, match="extends: there is no preset 'nothing'"):
        load_policy(write('extends = "nothing"'))


@pytest.mark.parametrize("text", ["[dates", "a = ", "= 1"])
def test_what_is_no_toml_is_told(write: Write, text: str) -> None:
    with pytest.raises(PolicyError, match="not valid TOML"):
        load_policy(write(text))


def test_a_file_in_another_encoding_is_told(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_bytes("name = 'ü'".encode("latin-1"))
    with pytest.raises(PolicyError, match="not valid TOML"):
        load_policy(str(path))


@pytest.mark.parametrize(
    "text",
    [
        "name = 'x'",
        "description = 'x'",
        "[header]\noptions = ['device']",
        "[dates]\nmode = 'keep'",
        "[dates]\nleast_days = 31",
        "[dates]\nmost_days = 3651",
        "[detect]\ntypes_off = ['AGE']",
        "[detect]\nunknown_words = false",
        "[detect]\nsecond_reader = false",
        "[detect]\nscreen = 0.0",
        "[detect]\nagents = ['ppocr-det']",
        "[detect]\nagents = ['ppocr-det', 'deidra-det']",
        "[thresholds]\nauto_score = 0.91",
        "[thresholds]\nauto_variance = 0.06",
        "[thresholds]\nqueue_score = 0.26",
        "[thresholds]\nboth_agents = false",
        "[thresholds]\ndoubt = 'paper'",
        "[thresholds]\nunread_score = 0.51",
        "[redact]\nfill = 'white'",
        "[redact]\nsurrogates = true",
        "[redact]\npadding_share = 0.16",
        "[redact]\npadding_least = 3",
        "[risk]\nAGE = 26",
    ],
)
def test_the_digest_changes_with_any_setting(write: Write, text: str) -> None:
    assert load_policy(write(text)).digest != Policy().digest
    assert load_policy(write(text)).digest == load_policy(write(text)).digest


@pytest.mark.parametrize("name", PRESETS)
def test_a_stored_policy_comes_back_the_same(name: str) -> None:
    policy = load_policy(name)
    again = parse_policy(dump_policy(policy))
    assert again == policy
    assert again.digest == policy.digest


def test_the_risk_of_a_type_can_be_set(write: Write) -> None:
    policy = load_policy(write("[risk]\n'DATE.birth' = 12"))
    assert policy.risk_of(EntityType.DATE_BIRTH) == 12
    assert policy.risk_of(EntityType.PATIENT) == TYPES[EntityType.PATIENT].risk


def test_an_error_in_a_policy_names_its_line(write: Write) -> None:
    text = 'extends = "tcia"\n\n[dates]\nmode = "sometimes"\n\n[[header.rules]]\naction = "keep"\ntag = "(0010,0010)"\n'
    text += '\n[[header.rules]]\naction = "explode"\nkeyword = "StudyID"\n'
    with pytest.raises(PolicyError) as caught:
        load_policy(write(text))
    assert "line 4, dates.mode" in str(caught.value)
    assert "line 11, header.rules.1.action" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('[[header.rules]]\naction = "keep"\npath = "(0010)"\n', "is no path"),
        ('[dates]\nmode = "fixed"\nfixed_days = 0\n', "fixed_days must not be zero"),
        ('[[header.rules]]\naction = "keep"\n', "names elements by"),
    ],
)
def test_rules_and_dates_that_make_no_sense_are_refused(write: Write, text: str, fault: str) -> None:
    with pytest.raises(PolicyError, match=fault):
        load_policy(write(text))


def test_identifiers_from_attributes_that_stay_do_not_count_as_private() -> None:
    device = Identifier("p", EntityType.OTHERPHI, "CT22429", "StationName")
    name = Identifier("p", EntityType.PATIENT, "Okonkwo^A", "PatientName")
    assert load_policy("tcia").counting([device, name]) == [name]
    assert load_policy("basic").counting([device, name]) == [device, name]


def test_two_detectors_search_by_default_and_both_must_see_what_is_applied_alone() -> None:
    policy = Policy()
    assert policy.detect.agents == ("deidra-det", "ppocr-det")
    assert (policy.thresholds.both_agents, policy.thresholds.doubt, policy.thresholds.unread_score) == (
        True,
        Doubt.CALIBRATED,
        0.5,
    )


def test_a_policy_that_was_stored_before_there_were_two_detectors_has_both() -> None:
    assert parse_policy('{"name": "old", "detect": {"second_reader": false}}').detect.agents == AGENTS


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ('name = "a"\nboxes = [[0, 0, 9, 9]]', "line 1, devices.0: Value error, a rule needs manufacturer"),
        ('name = "a"\nmodel = "x"\nboxes = [\n  [0, 0, 9, 9],\n  [0, -1, 9, 9],\n]', "line 6, devices.0.boxes.1.1: "),
        ('name = "a"\nmodel = "x"\nactoin = "cover"\nboxes = [[0, 0, 9, 9]]', "line 4, devices.0.actoin: "),
        ('name = "a"\nrows = "600"\nboxes = [[0, 0, 9, 9]]', "line 3, devices.0.rows: "),
    ],
)
def test_a_faulty_device_rule_is_refused_with_its_line_and_field(write: Write, rule: str, said: str) -> None:
    with pytest.raises(PolicyError) as raised:
        load_policy(write(f"[[devices]]\n{rule}\n"))
    assert said in str(raised.value)


def test_the_own_device_rules_come_before_those_that_deidra_comes_with(write: Write) -> None:
    policy = load_policy(write('[[devices]]\nname = "own"\nmodel = "Echo"\nboxes = [[0, 0, 9, 9]]\n'))
    assert policy.device_rules[0].name == "own"
    assert policy.device_rules[1:] == Policy().device_rules
    assert parse_policy(dump_policy(policy)) == policy
    assert policy.digest != Policy(name="own").digest
