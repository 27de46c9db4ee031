"""A synthetic text with its private values marked, and the rules by which they are marked.

A span holds one value, whole, without what stands around it:

- ``PATIENT``: patients, relatives and other private persons; ``STAFF``: whoever works in health care. Initials,
  particles, ``Jr.`` and the separators between parts (``SMITH^JOHN^A``, ``Smith, John``, all groups of a PN value)
  are inside; titles (``Dr.``, ``Mr.``, the ``^^Dr.`` of a PN value), degrees, the possessive ``'s`` and relationship
  words are outside. The initials with which staff sign are STAFF.
- ``DATE.birth`` is the date of birth only; every other date with a day or a month is ``DATE.other``, with the weekday
  or ordinal that belongs to it. A year alone, a time of day and a duration are not private. A DICOM DT or an ISO time
  stamp is one span with its time; after a blank the time is outside.
- ``AGE``: any age, with its unit (``61-year-old``, ``61 y/o``, ``061Y``, ``8 months old``); ages of gestation are
  none.
- ``ID.ssn``: US social security numbers, also their last four digits. ``ID.mrn``: numbers of patients. ``ID.other``:
  everything else that numbers a person, visit, order, specimen or examination (accession, account with a hospital,
  policy, NHS and other national numbers, passport, driver's licence, NPI, DEA), UIDs but for those of the standard
  itself (1.2.840.10008), and the name of a station that tells its site or unit. A prefix is inside if no blank parts
  it from the number (``MRN-12345``); the ``#`` or ``No.`` of a label is outside.
- ``PHONE.home``: phones of patients and relatives; ``PHONE.other``: all others, with pagers and faxes, and whatever
  does not say whose it is. Country code and extension are inside.
- ``LOCATION.home_address``: a postal address of a patient or relative, from the house number to the postal code (or
  country) in one span, line breaks included. ``LOCATION.address``: any other postal address. ``LOCATION.birthplace``:
  where somebody was born. ``LOCATION.other``: a town, state or country by itself.
- ``HOSPITAL``: institutions of health care with all words of their name, their acronyms, and titles of application
  entities made of them. Departments, wards and rooms are not private.
- ``PATORG``: employers, schools, health insurers, and occupations.
- ``DEMOG``: sex, marital and parental status, religion, nationality, ethnic group, wherever they describe a person.
- ``FINANCE``: numbers, expiry and check codes of cards, bank accounts, IBAN and routing numbers, and sums that a
  person owns, owes or earns.
- ``OTHERPHI``: web addresses, IP and MAC addresses, serial numbers, vehicles and their plates, user names.
- ``HEALTH``: diagnoses, only where asked for; else they are not private.
- Names in eponyms, of makers, models, drugs, units, levels, scores and sequences are never marked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from deidra.app.domain.taxonomy import EntityType

Source = Literal["field", "note", "cell", "line"]
Split = Literal["train", "calibrate", "test"]
SOURCES: tuple[Source, ...] = ("field", "note", "cell", "line")
SPLITS: tuple[Split, ...] = ("train", "calibrate", "test")


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A private value: characters ``start`` to ``end`` (exclusive) of the sample's text are ``text``."""

    start: int
    end: int
    type: EntityType
    text: str


@dataclass(frozen=True, slots=True)
class TextSample:
    """A text and its private values, in order and without overlap.

    ``tag`` is the DICOM keyword of a field, ``label`` what stands beside a cell where that is not part of the text,
    ``locale`` a section of formats.toml, and ``template`` what the text was made from.
    """

    text: str
    spans: tuple[TextSpan, ...]
    source: Source
    tag: str
    label: str
    locale: str
    template: str
