"""Labels of no list, told by their words, and their parts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deidra.app.detect.layout.grammar import composed_meaning
from deidra.app.detect.layout.inline import labels_in
from deidra.app.detect.layout.pairs import beside
from deidra.app.detect.layout.wordings import label_meaning, meanings
from deidra.app.domain.model import TextLine

Line = Callable[..., TextLine]


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("birth date", ["Date of birth of the insured", "On what day were you born?", "Dateofbirth of member"]),
        ("birth place", ["In which city were you born?", "Municipality of birth", "Country in which you were born"]),
        ("age", ["Age of insured at last birthday", "How old is the patient?"]),
        ("marital, parental or spousal status", ["Patient's marital state", "Are you divorced, widowed or single?"]),
        ("religion", ["Which church do you attend?", "What is the patient's faith?"]),
        ("citizenship or nationality", ["Applicant's country of citizenship", "Citizen of which country?"]),
        ("sex or gender", ["Sex recorded at birth", "Is the patient male or female?"]),
        ("home phone", ["3a. Home telephone no.", "Member's phone", "Your mobile number", "Phone where you live"]),
        (
            "office phone",
            ["Tel. (practice)", "Phone number of employer", "Doctor's telephone", "Insurance company phone"],
        ),
        ("phone", ["Telephone no. (incl. area code)", "Best phone to reach you"]),
        ("home address", ["Mailing address of the insured", "Where does the patient live?"]),
        ("office address", ["Address of treating physician", "Company street address"]),
        ("address", ["Mailing address (if P.O. box, give the street as well)"]),
        ("health status", ["Reason for today's visit", "Clinical impression", "Why treated", "Known drug allergies"]),
        ("name of staff", ["Name of treating physician", "Physician in charge"]),
        ("medical record number", ["Patient file no.", "Clinic record number"]),
        ("number of a grant, order or form", ["Contract/grant number", "Purchase requisition no."]),
        ("date", ["Date of onset of illness", "When was the form printed?", "Valid until (date)"]),
    ],
)
def test_the_words_of_a_label_tell_what_it_means(name: str, labels: list[str]) -> None:
    found = {text: meaning.name if (meaning := label_meaning(text)) else None for text in labels}
    assert found == dict.fromkeys(labels, name)


@pytest.mark.parametrize(
    "text",
    [
        "Catholic", "Chronic illness with fever", "All results were checked twice.", "Baptist Church", "Mercy Street",
        "Hospital of Saint Mary", "The patient lives with asthma", "Do not write below this line", "12 Elm Street",
    ],
)  # fmt: skip
def test_values_and_prose_are_no_labels(text: str) -> None:
    assert label_meaning(text) is None


def test_every_rule_leads_to_a_meaning_of_the_catalogue() -> None:
    texts = ["birth date", "employer phone", "applicant's address", "religious faith", "sex of child", "drug allergy"]
    assert {composed_meaning(text) for text in texts} <= {one.name for one in meanings()}


@pytest.mark.parametrize(
    ("text", "label", "value"),
    [
        ("Date of birth (mm/dd/yyyy) 03/04/1970", "Date of birth (mm/dd/yyyy)", "03/04/1970"),
        ("Phone (home) (555) 123-4567", "Phone (home)", "(555) 123-4567"),
        ("Mailing address (if P.O. box, give the street as well): 12 Elm St",
         "Mailing address (if P.O. box, give the street as well):", "12 Elm St"),
    ],
)  # fmt: skip
def test_a_remark_in_brackets_belongs_to_its_label(text: str, label: str, value: str) -> None:
    (found,) = labels_in(text)
    assert (text[found.start : found.end], text[found.end : found.until].strip()) == (label, value)


def test_a_label_in_capitals_is_found_right_behind_the_value_before_it() -> None:
    text = "RELIGION: LutheranRESIDENCE: 12 Elm Street"
    assert [(text[one.end : one.until].strip(), one.meaning.name) for one in labels_in(text)] == [
        ("Lutheran", "religion"),
        ("12 Elm Street", "home address"),
    ]


def test_a_label_of_two_lines_means_what_both_say(line: Line) -> None:
    rows = [line("Country of", 10, 10), line("birth", 10, 21), line("France", 130, 21)]
    assert [[one.meaning.name for one in found] for found in beside(rows)] == [[], [], ["birth place"]]


def test_an_option_alone_is_a_value_though_it_is_a_label_elsewhere(line: Line) -> None:
    rows = [
        line("Civil status", 10, 10),
        line("Married", 130, 10),
        line("Work phone", 10, 30),
        line("555-1234", 130, 30),
    ]
    assert [[one.meaning.name for one in found] for found in beside(rows)] == [
        [],
        ["marital, parental or spousal status"],
        [],
        ["office phone"],
    ]
