from __future__ import annotations

import tomllib
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidra.app.decide.policy import load_policy
from deidra.app.domain.errors import PolicyError
from deidra.app.metadata.recipe_ctp import read_ctp_script
from deidra.app.metadata.recipe_deid import read_deid_recipe
from deidra.app.metadata.recipe_import import ImportedRule, to_toml
from deidra.app.metadata.recipes import RuleAction

RECIPE = """\
FORMAT dicom
# for the knee study

%labels
ADD contact somebody

%fields staff
FIELD OperatorsName
FIELD contains:Physician

%header
ADD PatientIdentityRemoved YES
KEEP Modality
REMOVE StudyDescription # free text
BLANK fields:staff
REPLACE ClinicalTrialSiteName North Ward
JITTER endswith:Date 31
REMOVE (0043,"GEMS_PARM_01",27)
REMOVE RequestAttributesSequence__StudyDate
"""

SCRIPT = """\
<script>
 <p t="DATEINC">-1000</p>
 <p t="SITE">North Ward</p>
 <e en="T" t="00080020" n="StudyDate">@incrementdate(this,@DATEINC)</e>
 <e en="T" t="00080018" n="SOPInstanceUID">@hashuid(@UIDROOT,this)</e>
 <e en="F" t="00081030" n="StudyDescription">@remove()</e>
 <e en="T" t="00120031" n="ClinicalTrialSiteName">@param(@SITE)</e>
 <e en="T" t="00120062" n="PatientIdentityRemoved">@always()YES</e>
 <e en="T" t="0043[GEMS_PARM_01]27" n="">@keep()</e>
 <k en="T" t="18">Keep group 0018</k>
 <k en="F" t="0020">Keep group 0020</k>
 <r en="T" t="overlays">Remove overlays</r>
 <r en="T" t="unspecifiedelements">Remove unchecked elements</r>
 <r en="T" t="privategroups">Remove private groups</r>
</script>
"""


def deid(*lines: str) -> list[ImportedRule]:
    return read_deid_recipe("FORMAT dicom\n%header\n" + "\n".join(lines), "knee.deid")


def ctp(*elements: str) -> list[ImportedRule]:
    return read_ctp_script("<script>" + "\n".join(elements) + "</script>", "knee.script")


def script_of(text: str, tag: str = "00081030") -> list[ImportedRule]:
    return ctp('<p t="X">Ward 7</p>', f'<e en="T" t="{tag}" n="">{text}</e>')


# --- recipes of deid


def test_a_recipe_becomes_rules_with_the_narrow_and_strict_ones_first() -> None:
    assert read_deid_recipe(RECIPE, "knee.deid") == [
        ImportedRule(RuleAction.REMOVE, keyword="StudyDescription", line=14),
        ImportedRule(RuleAction.REMOVE, tag="(0043,xx27)", creator="GEMS_PARM_01", line=18),
        ImportedRule(RuleAction.REMOVE, path="(0040,0275)[*]/(0008,0020)", line=19),
        ImportedRule(RuleAction.EMPTY, keyword="OperatorsName", line=15),
        ImportedRule(RuleAction.REPLACE, keyword="ClinicalTrialSiteName", value="North Ward", line=16),
        ImportedRule(RuleAction.KEEP, keyword="Modality", line=13),
        ImportedRule(RuleAction.EMPTY, keyword="*[pP][hH][yY][sS][iI][cC][iI][aA][nN]*", line=15),
        ImportedRule(RuleAction.SHIFT, keyword="*[dD][aA][tT][eE]", line=17),
    ]


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("PatientName", {"keyword": "PatientName"}),
        ("patientname", {"keyword": "PatientName"}),
        ("(0010,0010)", {"tag": "(0010,0010)"}),
        ("(0010, 0010)", {"tag": "(0010,0010)"}),
        ("001021b0", {"tag": "(0010,21B0)"}),
        ('0043,"GEMS_PARM_01",27', {"tag": "(0043,xx27)", "creator": "GEMS_PARM_01"}),
        ('(0043,"ODD [1] NAME*",aB)', {"tag": "(0043,xxAB)", "creator": "ODD [[]1] NAME[*]"}),
        ("RequestAttributesSequence__StudyDate", {"path": "(0040,0275)[*]/(0008,0020)"}),
        ("startswith:Pat", {"keyword": "[pP][aA][tT]*"}),
        ("endswith:ID", {"keyword": "*[iI][dD]"}),
        ("contains:UID", {"keyword": "*[uU][iI][dD]*"}),
        ("startswith:0019", {"tag": "(0019,xxxx)"}),
        ("contains:00100010", {"tag": "(0010,0010)"}),
        ("select:VR:PN", {"vr": "PN"}),
        ("select:group:0019", {"tag": "(0019,xxxx)"}),
        ("ALL", {"keyword": "*"}),
        ("all", {"keyword": "*"}),
    ],
)
def test_fields_are_named_in_every_way_that_deid_knows(field: str, expected: dict[str, str]) -> None:
    assert deid(f"REMOVE {field}") == [ImportedRule(RuleAction.REMOVE, **expected, line=3)]  # type: ignore[arg-type]


def test_alternatives_become_rules_of_their_own() -> None:
    keywords = [rule.keyword for rule in deid("BLANK contains:Age|Sex")]
    assert keywords == ["*[aA][gG][eE]*", "*[sS][eE][xX]*"]
    assert [rule.tag for rule in deid("REMOVE contains:0019")] == ["(0019,xxxx)", "(xxxx,0019)"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("REMOVE PatientAge", [RuleAction.REMOVE]),
        ("BLANK PatientAge", [RuleAction.EMPTY]),
        ("KEEP PatientAge YES", [RuleAction.KEEP]),
        ("keep PatientAge", [RuleAction.KEEP]),
        ("JITTER PatientBirthDate -31", [RuleAction.SHIFT]),
        ("JITTER PatientBirthDate var:days", [RuleAction.SHIFT]),
        ("ADD PatientComments none", [RuleAction.REPLACE]),
        ("REPLACE PatientComments none at all # so be it", [RuleAction.REPLACE]),
        ("REPLACE StudyInstanceUID func:generate_uid", [RuleAction.REMAP]),
        ("REPLACE StudyInstanceUID deid_func:dicom_uuid org_root=1.2", [RuleAction.REMAP]),
        ("REPLACE StudyID deid_func:suffix_uuid", [RuleAction.HASH]),
        ("REPLACE StudyDate deid_func:jitter days=3", [RuleAction.SHIFT]),
        ("REPLACE ReferencedSeriesSequence__SeriesInstanceUID func:uid", [RuleAction.REMAP]),
        ("REPLACE PatientID var:id", []),
        ("REPLACE DeidentificationMethod ours", []),
    ],
)
def test_actions_have_their_counterpart(line: str, expected: list[RuleAction]) -> None:
    assert [rule.action for rule in deid(line)] == expected


def test_a_comment_is_no_part_of_a_value() -> None:
    assert deid("REPLACE PatientComments none at all # so be it")[0].value == "none at all"


def test_keeping_one_element_outranks_removing_all() -> None:
    rules = deid("REMOVE ALL", "KEEP PixelData", "KEEP contains:Pixel")
    assert [(rule.action, rule.keyword[:9]) for rule in rules] == [
        (RuleAction.KEEP, "PixelData"),
        (RuleAction.REMOVE, "*"),
        (RuleAction.KEEP, "*[pP][iI]"),
    ]


def test_the_stricter_of_two_lines_about_one_element_counts() -> None:
    rules = deid("KEEP PatientAge", "BLANK PatientAge", "REMOVE PatientAge")
    assert [rule.action for rule in rules] == [RuleAction.REMOVE, RuleAction.EMPTY, RuleAction.KEEP]


def test_the_later_of_two_replacements_counts() -> None:
    assert [rule.value for rule in deid("REPLACE StudyID 1", "REPLACE StudyID 2")] == ["2"]


@pytest.mark.parametrize(
    "line",
    [
        "REMOVE ALL func:is_name",
        "REMOVE values:names",
        "REPLACE StudyID func:number",
        "REPLACE StudyID var:number",
        "REPLACE StudyID",
        "REPLACE StudyDate soon",
        "REPLACE RequestAttributesSequence__StudyDate soon",
        "REPLACE ReferencedStudySequence none",
        "REMOVE NoSuchElement",
        "REMOVE ReferencedStudySequence__NoSuchElement",
        "REMOVE contains:^Pat.*",
        "REMOVE except:Modality",
        "REMOVE select:creator:x",
        "REMOVE fields:unknown",
        "KEEP ALL",
        "SHUFFLE PatientName",
        "REMOVE",
        "REMOVE # everything",
    ],
)
def test_a_line_without_counterpart_is_named_in_the_error(line: str) -> None:
    with pytest.raises(PolicyError, match=r"knee\.deid cannot be imported: line 3: \S+") as caught:
        deid(line)
    assert caught.value.advice


def test_lines_without_counterpart_can_be_listed_and_left_out() -> None:
    skipped: list[str] = []
    text = "FORMAT dicom\n%filter graylist\nLABEL box\n  coordinates 0,0,9,9\n%header\nKEEP ALL\nBLANK PatientAge\n"
    rules = read_deid_recipe(text + "JITTER StudyDate 1", "a.deid", skipped)
    assert [rule.action for rule in rules] == [RuleAction.EMPTY, RuleAction.SHIFT]
    assert [entry.partition(": ")[0] for entry in skipped] == ["a.deid, line 2", "a.deid, line 6", "a.deid, line 8"]


def test_a_long_list_of_errors_is_cut() -> None:
    with pytest.raises(PolicyError, match=r"and 80 more$"):
        deid(*["REMOVE Nothing"] * 100)


def test_a_line_of_a_field_list_without_counterpart_is_named() -> None:
    with pytest.raises(PolicyError, match="line 3: is no field"):
        read_deid_recipe("FORMAT dicom\n%fields a\nFIELD fields:a\n%header\nBLANK fields:a", "a.deid")


@pytest.mark.parametrize("text", ["", "hello", "REMOVE PatientName", "<script/>", "\0"])
def test_what_is_no_recipe_is_refused(text: str) -> None:
    with pytest.raises(PolicyError, match="is no recipe"):
        read_deid_recipe(text, "x")


def test_a_recipe_of_another_format_is_refused() -> None:
    with pytest.raises(PolicyError, match="line 1: only recipes of the format dicom"):
        read_deid_recipe("FORMAT nifti\n%header\n", "x")


def test_an_unknown_section_is_refused() -> None:
    with pytest.raises(PolicyError, match="line 2: there is no section"):
        read_deid_recipe("FORMAT dicom\n%pixels\nKEEP x\n", "x")


# --- scripts of the clinical trial processor


def test_a_script_becomes_rules_in_the_order_of_the_processor() -> None:
    assert read_ctp_script(SCRIPT, "knee.script") == [
        ImportedRule(RuleAction.REMOVE, tag="(60xx,xxxx)", line=12),
        ImportedRule(RuleAction.SHIFT, tag="(0008,0020)", line=4),
        ImportedRule(RuleAction.REMAP, tag="(0008,0018)", line=5),
        ImportedRule(RuleAction.REPLACE, tag="(0012,0031)", value="North Ward", line=7),
        ImportedRule(RuleAction.KEEP, tag="(0043,xx27)", creator="GEMS_PARM_01", line=9),
        ImportedRule(RuleAction.KEEP, tag="(0018,xxxx)", line=10),
        ImportedRule(RuleAction.REMOVE, creator="*", line=14),
        ImportedRule(RuleAction.KEEP, tag="(0028,xxxx)", line=13),
        ImportedRule(RuleAction.KEEP, tag="(7FE0,xxxx)", line=13),
        ImportedRule(RuleAction.KEEP, keyword="SOPClassUID", line=13),
        ImportedRule(RuleAction.REMAP, keyword="SOPInstanceUID", line=13),
        ImportedRule(RuleAction.REMAP, keyword="StudyInstanceUID", line=13),
        ImportedRule(RuleAction.REMOVE, keyword="*", line=13),
    ]


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("@keep()", RuleAction.KEEP),
        ("@ keep ( )", RuleAction.KEEP),
        ("@require()", RuleAction.KEEP),
        ("@require(PatientID,none)", RuleAction.KEEP),
        ("@contents(this)", RuleAction.KEEP),
        ("@remove()", RuleAction.REMOVE),
        ("@always()@remove()", RuleAction.REMOVE),
        ("@empty()", RuleAction.EMPTY),
        ("@blank(7)", RuleAction.EMPTY),
        ("", RuleAction.EMPTY),
        ("@hashuid(@UIDROOT,this)", RuleAction.REMAP),
        ("@hash(this,16)", RuleAction.HASH),
        ("@hash(this)", RuleAction.HASH),
        ("@hashname(this,6,2)", RuleAction.HASH),
        ("@hashptid(@SITE,this,12)", RuleAction.HASH),
        ("@incrementdate(this,-1000)", RuleAction.SHIFT),
        ("@hashdate(this,PatientID)", RuleAction.SHIFT),
        ("@dateinterval(this,ptid,PatientID,@ORIGIN)", RuleAction.SHIFT),
    ],
)
def test_functions_have_their_counterpart(text: str, action: RuleAction) -> None:
    assert script_of(text) == [ImportedRule(action, tag="(0008,1030)", line=2)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Knee", "Knee"),
        ("  Knee\n study ", "Knee\n study"),
        ("@param(@X)", "Ward 7"),
        ("@always()Knee of @param(@X)!", "Knee of Ward 7!"),
        (r"a\@b &amp; c", "a@b & c"),
    ],
)
def test_text_and_parameters_replace_the_value(text: str, value: str) -> None:
    assert script_of(text) == [ImportedRule(RuleAction.REPLACE, tag="(0008,1030)", value=value, line=2)]


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("00120062", "@always()YES"),
        ("00120064", "113100/113105"),
        ("0040a730", "@process()"),
        ("0040a730", "@always()@process()"),
        ("00100010", "@hashptid(@SITE,PatientID)"),
        ("00100020", "@hashptid(@SITE,PatientID)"),
    ],
)
def test_what_is_done_anyway_needs_no_rule(tag: str, text: str) -> None:
    assert script_of(text, tag) == []


def test_the_later_of_two_scripts_for_one_element_counts() -> None:
    element = '<e en="T" t="00081030" n="">@{}()</e>'
    assert [rule.action for rule in ctp(element.format("keep"), element.format("remove"))] == [RuleAction.REMOVE]


@pytest.mark.parametrize(
    "text",
    [
        "@if(Modality,equals,CT){@keep()}{@remove()}",
        "@lookup(this,ptid)",
        "@modifydate(this,*,1,1)",
        "@round(this,10)",
        "@hash(PatientID)",
        "@hashuid(@UIDROOT,StudyInstanceUID)",
        "@hashptid(@SITE,PatientID)",
        "@dateinterval(this,ptid,PatientID)",
        '@contents(this,"[0-9]")',
        "@param(@MISSING)",
        "Knee @hash(this)",
        "@keep(",
        "@",
        "mail@host",
    ],
)
def test_a_function_without_counterpart_is_named_in_the_error(text: str) -> None:
    with pytest.raises(PolicyError, match=r"knee\.script cannot be imported: line 2: \S+"):
        script_of(text)


@pytest.mark.parametrize(
    "element",
    [
        '<e en="T" t="0010" n="">@keep()</e>',
        '<e en="T" n="">@keep()</e>',
        '<e en="T" t="00080020" n="">soon</e>',
        '<k en="T" t="safeprivateelements"/>',
        '<k en="T" t="all"/>',
        '<r en="T" t="everything"/>',
    ],
)
def test_an_element_without_counterpart_is_listed(element: str) -> None:
    skipped: list[str] = []
    keep = '<e en="T" t="00080060" n="">@keep()</e>'
    rules = read_ctp_script(f"<script>\n{element}\n{keep}</script>", "a.script", skipped)
    assert [rule.tag for rule in rules] == ["(0008,0060)"]
    assert len(skipped) == 1
    assert skipped[0].startswith("a.script, line 2: ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: is not valid XML"),
        ("set.[0010,0010]PatientName=@remove()", "line 1: is not valid XML"),
        ("<script>\n<e></script>", "line 2: is not valid XML"),
        ("<rules/>", "is no script"),
        ('<!DOCTYPE script [<!ENTITY a "b">]>\n<script>&a;</script>', "document types are not allowed"),
        ('\n<!DOCTYPE script SYSTEM "file:///etc/passwd"><script/>', "line 2: document types are not allowed"),
        ("<script>&unknown;</script>", "line 1: is not valid XML"),
    ],
)
def test_what_is_no_script_is_refused(text: str, message: str) -> None:
    with pytest.raises(PolicyError, match=message) as caught:
        read_ctp_script(text, "x")
    assert caught.value.advice


def test_a_script_that_names_another_encoding_is_read_as_the_text_it_is() -> None:
    text = '<?xml version="1.0" encoding="ISO-8859-1"?><script><e en="T" t="00081030">Köln</e></script>'
    assert read_ctp_script(text, "x")[0].value == "Köln"


# --- policies


@pytest.mark.parametrize("base", ["basic", "tcia", "safe-harbor", "limited"])
def test_imported_rules_make_a_policy_that_is_accepted(tmp_path: Path, base: str) -> None:
    rules = read_deid_recipe(RECIPE, "knee.deid") + read_ctp_script(SCRIPT, "knee.script")
    path = tmp_path / "knee.toml"
    path.write_text(to_toml(rules, "Knee study", base, ["knee.deid, line 3: not\nimported"]), "utf-8")
    policy = load_policy(str(path))
    assert policy.name == "Knee study"
    loaded = [entry.rule for entry in policy.header.rules]
    assert [(r.action, r.tag, r.keyword, r.vr, r.creator, r.value, r.path) for r in loaded] == [
        (r.action, r.tag, r.keyword, r.vr, r.creator, r.value, r.path) for r in rules
    ]


@given(st.text(), st.text(), st.text())
def test_any_text_comes_through_a_policy_file_as_it_was(value: str, creator: str, note: str) -> None:
    rule = ImportedRule(RuleAction.REPLACE, creator=creator, value=value, line=3)
    (read,) = tomllib.loads(to_toml([rule], value, "basic", [note]))["header"]["rules"]
    assert read.get("value", "") == value
    assert read.get("creator", "") == creator


LINES = st.lists(
    st.sampled_from(["FORMAT dicom", "%header", "%fields a", "%filter b", "FIELD ALL", "REMOVE fields:a", "KEEP ALL"])
    | st.builds(
        "{} {} {}".format,
        st.sampled_from(["ADD", "BLANK", "KEEP", "REPLACE", "REMOVE", "JITTER", "x"]),
        st.sampled_from(["all", "PatientID", "contains:", "values:", "(0010,0010)", "select:"]) | st.text(max_size=9),
        st.text(max_size=9),
    )
    | st.text(max_size=20)
)


@given(LINES)
def test_any_recipe_is_read_or_refused(lines: list[str]) -> None:
    skipped: list[str] = []
    with suppress(PolicyError):
        rules = read_deid_recipe("\n".join(lines), "x", skipped)
        assert all(rule.line for rule in rules)
        assert all(entry.startswith("x, line ") for entry in skipped)
        if not skipped:
            assert read_deid_recipe("\n".join(lines), "x") == rules


SCRIPTS = st.text(alphabet='@keparmhsi()[],"{}\\ tX', max_size=20) | st.text(max_size=10)


@given(SCRIPTS, st.text(alphabet="0123456789abcdef[]X", max_size=12))
def test_any_script_is_read_or_refused(text: str, tag: str) -> None:
    escaped = text.translate({ord(char): f"&#{ord(char)};" for char in '&<>"'})
    with suppress(PolicyError):
        assert len(script_of(escaped, tag)) <= 1


@given(st.text(max_size=60))
def test_any_text_is_a_script_or_refused(text: str) -> None:
    with pytest.raises(PolicyError, match=r"^x"):
        read_ctp_script(text, "x")
