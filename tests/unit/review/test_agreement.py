from __future__ import annotations

import pytest

from deidra.app.review.agreement import cohen, fleiss, wilson


def pairs(table: list[list[int]]) -> list[tuple[int, int]]:
    return [(a, b) for a, row in enumerate(table) for b, count in enumerate(row) for _ in range(count)]


def test_cohens_kappa_of_two_readers_counted_by_hand() -> None:
    # Same: 35 of 50. By chance: .5 * .6 + .5 * .4 = .5. (.7 - .5) / (1 - .5) = .4.
    found = cohen(pairs([[20, 5], [10, 15]]))
    assert found is not None
    assert found.value == pytest.approx(0.4)


def test_cohens_kappa_and_its_error_are_those_of_the_book() -> None:
    # Fleiss, Levin, Paik, Statistical Methods for Rates and Proportions, table 18.1: kappa .676, standard error .088.
    found = cohen(pairs([[75, 1, 4], [5, 4, 1], [0, 0, 10]]))
    assert found is not None
    assert found.value == pytest.approx(0.676, abs=5e-4)
    assert (found.high - found.low) / (2 * 1.959964) == pytest.approx(0.088, abs=5e-4)


def test_readers_who_always_agree_have_kappa_one_and_no_spread() -> None:
    found = cohen(pairs([[3, 0], [0, 4]]))
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((1, 1, 1))


def test_readers_who_always_differ_have_the_least_kappa() -> None:
    found = cohen(pairs([[0, 5], [5, 0]]))
    assert found is not None
    assert found.value == pytest.approx(-1)


def test_kappa_is_not_defined_where_chance_explains_all() -> None:
    assert cohen([]) is None
    assert cohen([("keep", "keep")] * 5) is None
    assert fleiss([]) is None
    assert fleiss([["keep"] * 3] * 5) is None


def test_fleiss_kappa_is_that_of_the_worked_example() -> None:
    # 10 subjects, 14 raters, 5 categories: the example after Fleiss (1971) that textbooks and Wikipedia work through.
    table = [
        (0, 0, 0, 0, 14),
        (0, 2, 6, 4, 2),
        (0, 0, 3, 5, 6),
        (0, 3, 9, 2, 0),
        (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0),
        (3, 2, 6, 3, 0),
        (2, 5, 3, 2, 2),
        (6, 5, 2, 1, 0),
        (0, 2, 2, 3, 7),
    ]
    items = [[kind for kind, count in enumerate(row) for _ in range(count)] for row in table]
    assert fleiss(items) == pytest.approx(0.210, abs=5e-4)


def test_fleiss_kappa_of_two_items_counted_by_hand() -> None:
    # Agreement: 1 and 1/3, mean 2/3. By chance: (5/6)^2 + (1/6)^2 = 26/36. (2/3 - 26/36) / (10/36) = -1/5.
    assert fleiss([["a", "a", "a"], ["a", "a", "b"]]) == pytest.approx(-0.2)


@pytest.mark.parametrize("items", [[["a"]], [["a", "b"], ["a", "b", "a"]]])
def test_fleiss_kappa_refuses_items_with_other_numbers_of_readings(items: list[list[str]]) -> None:
    with pytest.raises(ValueError, match="same number"):
        fleiss(items)


def test_the_interval_of_a_share_is_wilsons() -> None:
    # Newcombe (1998), Statistics in Medicine 17, table I: 81 of 263 gives .2553 to .3662; 0 of 20 gives 0 to .1611.
    found = wilson(81, 263)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    none = wilson(0, 20)
    assert none is not None
    assert (none.low, none.high) == pytest.approx((0, 0.1611), abs=5e-5)
    assert wilson(0, 0) is None
