"""Training texts of the tagger: labels, batches, and what chance does to them."""

from itertools import islice
from random import Random

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install deidra[train]")
pytest.importorskip("tokenizers", reason="needs tokenizers")

from small_tokenizer import small_tokenizer  # noqa: E402
from torch.utils.data import DataLoader  # noqa: E402

from deidra.app.domain.taxonomy import EntityType  # noqa: E402
from deidra.app.synth.texts.sample import SOURCES, TextSample, TextSpan  # noqa: E402
from deidra.models.tagger_pieces import LABELS, WINDOW, Pieces  # noqa: E402
from deidra.models.training.tagger_data import (  # noqa: E402
    MULTIPLE,
    Series,
    Texts,
    collated,
    drawn,
    harmless_words,
    labelled,
    recased,
    reworded,
)
from deidra.models.training.tagger_network import NO_LABEL  # noqa: E402

PIECES = Pieces(small_tokenizer())
NAME = TextSample(
    "seen Jane Doe", (TextSpan(5, 13, EntityType.PATIENT, "Jane Doe"),), "field", "PatientName", "", "en", "t"
)


def first_batches(series: Series, count: int = 3, workers: int = 0) -> list:
    loader = DataLoader(Texts(PIECES, series, 4), batch_size=None, num_workers=workers)
    return list(islice(loader, count))


def same(a: list, b: list) -> bool:
    return all(torch.equal(x, y) for one, other in zip(a, b, strict=True) for x, y in zip(one, other, strict=True))


def test_the_name_of_a_tag_carries_no_label_and_each_piece_of_the_text_one() -> None:
    (row,) = labelled(PIECES, NAME)
    names = [LABELS[n] if n != NO_LABEL else "" for n in row.labels.tolist()]
    assert names == ["", "", "", "", "O", "B-PATIENT", "I-PATIENT", ""]  # patient name : seen jane doe


def test_a_long_text_becomes_windows_that_agree_where_they_overlap() -> None:
    long = TextSample("seen Jane Doe " * 100, NAME.spans, "note", "", "", "en", "t")
    rows = labelled(PIECES, long)
    assert len(rows) > 2
    assert max(len(row.labels) for row in rows) == WINDOW
    assert [len(row.labels) for row in rows] == [len(row.row.ids) for row in rows]
    assert (rows[1].labels != NO_LABEL).sum() == WINDOW - 2


def test_a_batch_is_as_long_as_its_longest_text_up_to_a_multiple() -> None:
    short = labelled(PIECES, TextSample("a", (), "cell", "", "", "en", "t"))
    batch = collated([*labelled(PIECES, NAME), *short])
    assert batch.ids.shape == batch.shape.shape == batch.mask.shape == batch.labels.shape == (2, MULTIPLE)
    assert all(part.dtype == torch.int64 for part in batch)
    assert batch.labels[1].tolist() == [NO_LABEL, 0, *[NO_LABEL] * 6]
    assert batch.mask.sum(1).tolist() == [8, 3]


def test_batches_are_the_same_for_the_same_series() -> None:
    assert same(first_batches(Series(5)), first_batches(Series(5)))
    assert not same(first_batches(Series(5), 1), first_batches(Series(6), 1))


def test_a_run_that_goes_on_draws_other_texts() -> None:
    assert not same(first_batches(Series(5), 1), first_batches(Series(5, first=400), 1))


def test_processes_draw_different_texts() -> None:
    mine, theirs = (first_batches(Series(5, rank=rank, world=2), 1) for rank in (0, 1))
    assert not same(mine, theirs)


def test_workers_give_the_same_batches_each_time() -> None:
    assert same(first_batches(Series(5), 4, workers=2), first_batches(Series(5), 4, workers=2))


def test_labels_are_asked_of_pieces_only() -> None:
    for batch in first_batches(Series(8), 20):
        assert not ((batch.labels != NO_LABEL) & (batch.mask == 0)).any()
        assert (batch.labels[:, 0] == NO_LABEL).all()
        assert batch.labels.max() < len(LABELS)


def test_a_text_in_capitals_is_as_long_as_before() -> None:
    text = "Weiß İnci ŉ 王 Doe"
    assert recased(text, True) == "WEIß İNCI ŉ 王 DOE"
    assert recased(text, False) == "weiß İnci ŉ 王 doe"


def test_chance_changes_the_case_and_leaves_out_what_is_known_of_a_text() -> None:
    rows = [labelled(PIECES, NAME, Random(seed))[0] for seed in range(600)]
    bare = sum(len(row.labels) < 8 for row in rows) / 600
    shapes = {tuple(row.row.shape[-3:-1].tolist()) for row in rows}
    assert 0.1 < bare < 0.2
    # Small, as it is written, in capitals; others have another mark between the two names.
    assert {(9, 9), (10, 10), (11, 11)} <= shapes
    assert all(LABELS[int(row.labels[-2])] == "I-PATIENT" for row in rows)


def test_sources_are_drawn_as_often_as_is_asked_for() -> None:
    assert {drawn("train", 1, n, (0, 0, 1, 0)).source for n in range(20)} == {SOURCES[2]}
    assert {drawn("train", 1, n).source for n in range(60)} == set(SOURCES)


def test_diagnoses_are_marked() -> None:
    kinds = {span.type for n in range(60) for span in drawn("train", 1, n, (0, 1, 0, 0)).spans}
    assert EntityType.HEALTH in kinds


def test_other_words_around_private_values_leave_the_values_and_their_places_right() -> None:
    changed = 0
    for number in range(60):
        made = drawn("train", 3, number)
        new = reworded(made, Random(number))
        assert [span.text for span in new.spans] == [span.text for span in made.spans]
        assert [span.type for span in new.spans] == [span.type for span in made.spans]
        assert all(new.text[span.start : span.end] == span.text for span in new.spans)
        changed += new.text != made.text
    assert changed > 10


def test_a_word_that_is_put_in_is_no_name() -> None:
    words = harmless_words()
    assert len(words) > 50_000
    assert not {"smith", "jane", "garcia"} & set(words)
