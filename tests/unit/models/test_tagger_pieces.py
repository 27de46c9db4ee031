"""Texts in pieces and back: places in the text, shapes, windows and entities."""

import itertools
import unicodedata

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers")

from small_tokenizer import small_tokenizer  # noqa: E402

from deidra.app.domain.errors import ModelError  # noqa: E402
from deidra.app.domain.taxonomy import EntityType  # noqa: E402
from deidra.app.synth.texts.generate import samples  # noqa: E402
from deidra.models.tagger_pieces import (  # noqa: E402
    KINDS,
    LABELS,
    PREFIX,
    SHAPES,
    SHARED,
    TYPES,
    WINDOW,
    Pieces,
    best_labels,
    found_in,
    labels_of,
    padded,
    prefix_of,
    shape_of,
    whole,
    without_separators,
)

PIECES = Pieces(small_tokenizer())
ODD = "aZé̈ñÉßİŁ ñ中国語한글のテストمرحبا🙂👩‍⚕️🇬🇧\x00\x07\t\n\r\u200b\u00a0\ufeff\ufffd\ud800^_/-.,'0123456789٣½Ⅷ"
texts = st.one_of(st.text(st.sampled_from(ODD), max_size=40), st.text(max_size=40))


def plain(text: str) -> str:
    """As the tokenizer compares: lower case, no marks, no control characters."""
    letters = unicodedata.normalize("NFD", text.lower())
    letters = unicodedata.normalize("NFD", letters)
    return "".join(c for c in letters if unicodedata.category(c)[0] not in "MCZ")


def sure(labels: np.ndarray, chance: float = 0.9) -> np.ndarray:
    """Probabilities of a network that is rather sure of these labels."""
    out = np.full((len(labels), len(LABELS)), (1 - chance) / (len(LABELS) - 1), np.float32)
    out[np.arange(len(labels)), labels] = chance
    return out


@settings(max_examples=400, deadline=None)
@given(texts)
@example("Zoë ÅNGSTRÖM e\u0301tude")
@example("👩‍⚕️ Dr. 王小明\x00X")
@example("\ud800Doe")
def test_every_piece_is_the_characters_of_the_text_that_it_was_made_of(text: str) -> None:
    pieced = PIECES.cut(text)
    tokenizer = small_tokenizer()
    last = 0
    for number, start, end in zip(pieced.row.ids, pieced.start, pieced.end, strict=True):
        assert 0 <= start < end <= len(text)
        assert start >= last
        last = start
        token = tokenizer.id_to_token(int(number)).removeprefix("##")
        if token != "[UNK]":
            assert plain(token) in plain(text[start:end])


@settings(max_examples=200, deadline=None)
@given(texts)
def test_no_letter_and_no_digit_is_left_out(text: str) -> None:
    pieced = PIECES.cut(text)
    inside = np.zeros(len(text), bool)
    for start, end in zip(pieced.start, pieced.end, strict=True):
        inside[start:end] = True
    assert [c for c, there in zip(text, inside, strict=True) if c.isalnum() and not there] == []


@settings(max_examples=200, deadline=None)
@given(texts)
def test_every_piece_has_a_shape(text: str) -> None:
    shape = PIECES.cut(text).row.shape
    assert ((shape > 0) & (shape < SHAPES)).all()


@pytest.mark.parametrize(
    ("piece", "kind"),
    [
        ("smith", "lower"), ("Smith", "title"), ("SMITH", "upper"), ("J", "upper"), ("McDoe", "mixed"),
        ("sMITH", "mixed"), ("王", "letters"), ("123", "digits"), ("12a", "alphanumeric"),
        ("^", "punctuation"), ("🙂", "punctuation"),
        ("É", "upper"), ("e\u0301a", "lower"), ("D\x00oe", "title"),
    ],
)  # fmt: skip
def test_a_shape_tells_the_case_that_the_pieces_have_lost(piece: str, kind: str) -> None:
    assert (shape_of(f"x{piece}", 1, 1 + len(piece)) - 1) % len(KINDS) == KINDS.index(kind)


def test_a_shape_tells_whether_a_word_or_a_line_begins() -> None:
    places = [(shape_of(text, 1, 3) - 1) // len(KINDS) for text in ("xab", " ab", "\nab")]
    assert places == [0, 1, 2]
    assert (shape_of("ab", 0, 2) - 1) // len(KINDS) == 2


@pytest.mark.parametrize(
    ("tag", "label", "prefix"),
    [
        ("", "", ""),
        ("PatientName", "", "Patient Name:"),
        ("SOPInstanceUID", "", "SOP Instance UID:"),
        ("", "DOB: ", "DOB:"),
        ("PatientID", "MRN", "Patient ID MRN:"),
    ],
)
def test_what_is_known_of_a_text_goes_before_it_in_words(tag: str, label: str, prefix: str) -> None:
    assert prefix_of(tag, label) == prefix


def test_what_goes_before_a_text_moves_none_of_its_places() -> None:
    bare, told = PIECES.cut("Doe^Jane"), PIECES.cut("Doe^Jane", "Patient Name:")
    assert (bare.start.tolist(), bare.end.tolist()) == (told.start.tolist(), told.end.tolist())
    (window,) = PIECES.windows(told)
    assert window.offset == 1 + len(told.prefix.ids) > 1
    assert window.row.ids[window.offset : -1].tolist() == bare.row.ids.tolist()


def test_a_long_label_leaves_room_for_the_text() -> None:
    pieced = PIECES.cut("Doe " * 200, "very long label " * 50)
    assert len(pieced.prefix.ids) == PREFIX
    assert all(len(window.row.ids) <= WINDOW for window in PIECES.windows(pieced))


def test_a_text_without_pieces_has_no_windows_and_no_entities() -> None:
    for text in ("", "  \n", "\x00"):
        pieced = PIECES.cut(text, "Patient Name:")
        assert PIECES.windows(pieced) == []
        nothing = whole([], [], 0)
        assert found_in(pieced, nothing, nothing) == []


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 700), st.sampled_from(["", "Patient Comments:"]))
def test_windows_cover_everything_and_share_what_they_should(count: int, prefix: str) -> None:
    pieced = PIECES.cut("a " * count, prefix)
    windows = PIECES.windows(pieced)
    assert len(pieced) == count
    assert (windows[0].first, windows[-1].last) == (0, count)
    assert all(a.last - b.first == SHARED for a, b in itertools.pairwise(windows))
    assert all(len(window.row.ids) <= WINDOW for window in windows)


def test_windows_agree_at_their_seams_with_one_long_answer() -> None:
    pieced = PIECES.cut("Doe 12 " * 150, "Comments:")
    windows = PIECES.windows(pieced)
    truth = np.random.default_rng(0).random((len(pieced), len(LABELS))).astype(np.float32)
    answers = []
    for window in windows:
        answer = np.full((WINDOW, len(LABELS)), np.nan, np.float32)  # rows may be filled up
        answer[window.offset : window.offset + window.last - window.first] = truth[window.first : window.last]
        answers.append(answer)
    assert len(windows) > 2
    assert np.array_equal(whole(windows, answers, len(pieced)), truth)


def test_a_piece_of_two_windows_is_read_where_more_is_seen_around_it() -> None:
    pieced = PIECES.cut("a " * 200)
    windows = PIECES.windows(pieced)
    answers = [np.full((WINDOW, len(LABELS)), number, np.float32) for number in range(len(windows))]
    which = whole(windows, answers, len(pieced))[:, 0]
    middle = (windows[0].last + windows[1].first) // 2
    assert which[middle - 1] == 0
    assert which[middle] == 1


def test_rows_are_filled_up_with_what_is_masked() -> None:
    rows = [PIECES.windows(PIECES.cut(text))[0].row for text in ("a", "a b c d e")]
    inputs = padded(rows, 8)
    assert inputs.ids.shape == (2, 8)
    assert inputs.mask.sum(1).tolist() == [len(row.ids) for row in rows]
    assert not inputs.ids[inputs.mask == 0].any()
    assert not inputs.shape[inputs.mask == 0].any()


def test_spans_come_back_from_the_labels_of_their_pieces() -> None:
    known = found = right = 0
    for made in samples("train", 11, 300, health=True):
        pieced = PIECES.cut(made.text, prefix_of(made.tag, made.label))
        labels = labels_of(pieced, ((s.start, s.end, s.type) for s in made.spans))
        said = {(f.start, f.end, f.type) for f in found_in(pieced, sure(labels), np.zeros((len(labels), len(LABELS))))}
        truth = {(s.start, s.end, s.type) for s in made.spans}
        known, found, right = known + len(truth), found + len(said), right + len(said & truth)
    # Letters of two values can share a piece where words are glued together.
    assert known > 300
    assert right / known > 0.99
    assert right / found > 0.99


def test_an_entity_ends_behind_the_marks_of_its_last_letter() -> None:
    text = "Rene\u0301, seen"
    pieced = PIECES.cut(text)
    labels = labels_of(pieced, [(0, 5, EntityType.PATIENT)])
    (found,) = found_in(pieced, sure(labels), np.zeros((len(pieced), len(LABELS))))
    assert text[found.start : found.end] == "Rene\u0301"


def test_the_score_is_the_probability_of_both_labels_and_the_variance_that_of_both() -> None:
    pieced = PIECES.cut("a b c")
    p = np.zeros((3, len(LABELS)))
    p[0, [1, 2, 0]] = 0.5, 0.2, 0.3
    p[1, [1, 2, 0]] = 0.1, 0.7, 0.2
    p[2, 0] = 1.0
    variance = np.full((3, len(LABELS)), 0.03)
    (found,) = found_in(pieced, p, variance)
    assert (found.start, found.end, found.type) == (0, 3, TYPES[0])
    assert found.score == pytest.approx(0.75)
    assert found.variance == pytest.approx(0.06)


def brute(probability: np.ndarray) -> float:
    """The most that any allowed sequence of labels is worth."""
    best = -np.inf
    for way in itertools.product(range(probability.shape[1]), repeat=len(probability)):
        before = (0, *way)
        if all(b == 0 or b % 2 or a in (b, b - 1) for a, b in itertools.pairwise(before)):
            best = max(best, sum(np.log(probability[i, b]) for i, b in enumerate(way)))
    return best


@pytest.mark.parametrize("seed", range(20))
def test_no_allowed_sequence_of_labels_is_likelier_than_the_one_that_is_chosen(seed: int) -> None:
    p = np.random.default_rng(seed).dirichlet(np.full(5, 0.4), 5) + 1e-6
    way = best_labels(p, np.arange(5))
    assert all(b == 0 or b % 2 or a in (b, b - 1) for a, b in zip([0, *way], way, strict=False))
    assert sum(np.log(p[i, b]) for i, b in enumerate(way)) == pytest.approx(brute(p))


def test_a_word_sticks_together_unless_the_network_is_sure() -> None:
    one_word, two_words = np.array([0, 0, 0]), np.array([0, 0, 1])
    doubtful = np.array([[0.05, 0.9, 0.05], [0.05, 0.05, 0.9], [0.6, 0.0, 0.4]])
    assert best_labels(doubtful, one_word).tolist() == [1, 2, 2]
    assert best_labels(doubtful, two_words).tolist() == [1, 2, 0]
    sure_of_it = doubtful.copy()
    sure_of_it[2] = 0.98, 0.0, 0.02
    assert best_labels(sure_of_it, one_word).tolist() == [1, 2, 0]


def test_a_piece_partly_in_a_span_belongs_to_it() -> None:
    text = "seen doe"
    pieced = PIECES.cut(text)
    labels = labels_of(pieced, [(6, 8, EntityType.STAFF)])
    touched = (pieced.end > 6).nonzero()[0]
    assert labels[touched[0]] == 1 + 2 * TYPES.index(EntityType.STAFF)
    assert set(labels[touched[1:]].tolist()) <= {2 + 2 * TYPES.index(EntityType.STAFF)}
    assert not labels[: touched[0]].any()


def test_a_tokenizer_that_is_missing_is_told_of(tmp_path) -> None:
    with pytest.raises(ModelError, match=r"tokenizer\.json"):
        Pieces.read(tmp_path / "tokenizer.json")


def test_a_tokenizer_without_marks_for_the_ends_is_refused() -> None:
    from tokenizers import Tokenizer, models

    with pytest.raises(ValueError, match="both ends"):
        Pieces(Tokenizer(models.WordPiece({"[UNK]": 0}, unk_token="[UNK]")))


@pytest.mark.parametrize(
    ("text", "begin", "end", "inner"),
    [("seen/12.3.2020-", 4, 15, "12.3.2020"), ("(Ada) ", 0, 6, "(Ada)"), ("--", 0, 2, ""), ("E.D.", 0, 4, "E.D.")],
)
def test_separators_at_the_ends_belong_to_what_stands_beside(text: str, begin: int, end: int, inner: str) -> None:
    first, last = without_separators(text, begin, end)
    assert text[first:last] == inner
