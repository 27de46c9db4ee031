from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python

from deidra.app.domain.errors import KnownError
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import Action, Asset, AssetKind, DecisionKind, Finding, FrameText, TextLine, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.risk.categories import categories, category_of
from deidra.app.risk.graph import DAMPING, Direction, Weight, ehits, pagerank, read_cases
from deidra.app.risk.masks import Level, Private, covered, masks
from deidra.app.risk.pages import census, risk_of_pages
from deidra.app.risk.scores import published, risk_of_type, scaled

SCORES = scaled(published())


def ranks(values: list[float]) -> list[float]:
    """Ranks from 1; equal values share the mean of theirs."""
    array = np.array(values)
    return [float((array < v).sum() + ((array == v).sum() + 1) / 2) for v in values]


def spearman(one: dict[str, float], other: dict[str, float]) -> float:
    kinds = list(one)
    return float(np.corrcoef(ranks([one[k] for k in kinds]), ranks([other[k] for k in kinds]))[0, 1])


@pytest.mark.parametrize(
    ("weight", "hub", "authority", "both"), [(Weight.FREQUENCY, 0.65, 0.81, 0.82), (Weight.LOSS, 0.66, 0.81, 0.81)]
)
def test_the_published_scores_correlate_as_the_paper_says(
    weight: Weight, hub: float, authority: float, both: float
) -> None:
    """Tables 4 and 5. The paper's graph has 1,718 kinds, 47 are published: two figures differ by up to .03."""
    rank = published("pagerank", weight)
    assert len(rank) == 47
    found = [spearman(dict(rank), dict(published(part, weight))) for part in ("hub", "authority", "ehits")]
    assert found == pytest.approx([hub, authority, both], abs=0.006)


def test_the_score_at_the_ninetieth_percentile_is_a_hundred() -> None:
    assert {kind for kind, score in SCORES.items() if score == 100} == {
        *("name", "social security number", "address", "date of birth", "credit card information"),
    }
    assert min(SCORES.values()) > 0
    assert scaled({"a": 10.0, "b": 5.0})["a"] == 100
    assert scaled({}) == {}


def test_entity_types_have_the_score_of_the_riskiest_kind_that_they_stand_for() -> None:
    assert risk_of_type(EntityType.ID_SSN, SCORES) == 100
    assert risk_of_type(EntityType.ID_OTHER, SCORES) == SCORES["personal identification number"]
    assert risk_of_type(EntityType.HOSPITAL, SCORES) == 0
    assert {k for k in EntityType if risk_of_type(k, SCORES) > 0} >= {
        *(EntityType.PATIENT, EntityType.PHONE_HOME, EntityType.EMAIL, EntityType.FINANCE, EntityType.OTHERPHI),
    }


def cases(folder: Path, *rows: str) -> Path:
    path = folder / "cases.csv"
    path.write_text("\ufeffstory,inputs,outputs,lossAmount\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_cases_become_edges_with_counts_and_losses(tmp_path: Path) -> None:
    graph = read_cases(
        cases(
            tmp_path,
            'told,"Name, address","bank account,name",100',
            '"a story, with\nlines",name,bank account,50.5',
            "nothing known,,address,",
        )
    )
    assert set(graph.edges) == {("name", "bank account"), ("address", "bank account"), ("address", "name")}
    assert graph.edges["name", "bank account"] == {"frequency": 2, "loss": 150.5}
    assert graph.edges["address", "name"] == {"frequency": 1, "loss": 100}
    assert {kind: graph.nodes[kind]["loss"] for kind in graph} == {"name": 150.5, "bank account": 150.5, "address": 100}


@pytest.mark.parametrize("text", ["story,inputs,outputs\n", "inputs,outputs,lossAmount\na,b,much\n", "\xff\xfe"])
def test_a_table_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "cases.csv"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(KnownError):
        read_cases(path)
    with pytest.raises(KnownError):
        read_cases(tmp_path / "missing.csv")


@st.composite
def graphs(draw: st.DrawFn) -> nx.DiGraph:
    count = draw(st.integers(1, 8))
    graph = nx.DiGraph()
    for node in range(count):
        graph.add_node(str(node), loss=float(draw(st.integers(0, 1000))))
    edges = draw(st.lists(st.tuples(*[st.integers(0, count - 1)] * 2, st.integers(1, 9)), max_size=20))
    for u, v, times in edges:
        if u != v:
            graph.add_edge(str(u), str(v), frequency=times, loss=float(times * 10))
    return graph


@given(graphs(), st.sampled_from(list(Direction)))
@settings(max_examples=60, deadline=None)
def test_pagerank_is_that_of_networkx(graph: nx.DiGraph, direction: Direction) -> None:
    losses = nx.get_node_attributes(graph, "loss")
    flow = graph if direction is Direction.DISCLOSED else graph.reverse()
    jumps = losses if sum(losses.values()) else None
    expected = _pagerank_python(flow, DAMPING, jumps, weight="frequency", tol=1e-12, max_iter=10_000)
    assert pagerank(graph, Weight.FREQUENCY, direction) == pytest.approx(expected, abs=1e-7)


def test_the_two_directions_tell_who_discloses_and_what_is_disclosed() -> None:
    graph = nx.DiGraph()
    for kind in "abcd":
        graph.add_node(kind, loss=1.0)
    for kind in "abc":
        graph.add_edge(kind, "d", frequency=1, loss=1.0)
    assert max(pagerank(graph), key=pagerank(graph).__getitem__) == "d"
    against = pagerank(graph, direction=Direction.DISCLOSING)
    assert min(against, key=against.__getitem__) == "d"
    assert pagerank(nx.DiGraph()) == {}


@given(graphs())
@settings(max_examples=60, deadline=None)
def test_hubs_and_authorities_are_fixed_points(graph: nx.DiGraph) -> None:
    found = ehits(graph)
    assert sum(found.hub.values()) == pytest.approx(1)
    assert sum(found.authority.values()) == pytest.approx(1)
    assert found.risk == pytest.approx({k: found.hub[k] + found.authority[k] for k in graph})
    if graph.number_of_edges():
        sums = {k: sum(found.hub[u] * d["frequency"] for u, _, d in graph.in_edges(k, data=True)) for k in graph}
        total = sum(sums.values())
        assert total == 0 or found.authority == pytest.approx({k: v / total for k, v in sums.items()}, abs=1e-4)


def test_a_kind_that_only_leads_elsewhere_is_a_hub_and_no_authority() -> None:
    graph = nx.DiGraph()
    for kind in "abc":
        graph.add_node(kind, loss=1.0)
    graph.add_edge("a", "b", frequency=3, loss=1.0)
    graph.add_edge("a", "c", frequency=1, loss=9.0)
    by_count, by_loss = ehits(graph), ehits(graph, Weight.LOSS)
    assert by_count.hub["a"] == 1
    assert by_count.authority == pytest.approx({"a": 0, "b": 0.75, "c": 0.25})
    assert by_loss.authority == pytest.approx({"a": 0, "b": 0.1, "c": 0.9})


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (["ACME BANK", "Statement period 1 to 31 May", "Opening balance 12.00", "Closing balance"], "bank statement"),
        (["Dear Mr Smith,", "thank you.", "Sincerely,"], "letter with address"),
        (["INVOICE 4711", "Bill to: Jane", "Subtotal 12", "Total due 14"], "bills or receipt"),
        (["Rx", "Amoxicillin 500 mg", "Dispense 20", "Refills: 1"], "doctor prescription"),
        (["Official transcript", "Course", "Credits", "GPA 3.4"], "transcript"),
        (["Patient: A. B.", "Diagnosis: none", "Allergies: none", "Physician C."], "medical record document"),
        (["PASSPORT", "Nationality: ITALIAN", "Date of issue", "Sex F"], "id card"),
        (["The weather was fine"], None),
        (["banks", "depositsx"], None),
    ],
)
def test_the_category_of_a_page_is_told_by_its_words(lines: list[str], name: str | None) -> None:
    found = category_of(lines)
    assert (found.name if found else None) == name


def test_the_table_of_categories_has_all_rows_of_the_paper() -> None:
    table = {category.name: category for category in categories()}
    assert len(table) == 17
    assert len(table["bank statement"].shows) == 16
    assert table["transcript"].shows == (
        *("address", "date of birth", "education level", "email address", "name", "school attended"),
    )
    assert table["local newspaper"].shows == ()


NAME, NUMBER, HEALTH = (
    Private(box_polygon(0, 0, 50, 20), EntityType.PATIENT),
    Private(box_polygon(50, 0, 100, 20), EntityType.ID_SSN),
    Private(box_polygon(0, 50, 100, 60), EntityType.HEALTH),
)


def test_levels_cover_less_and_less_and_leave_more_and_more_risk() -> None:
    full, whole, fine, high = masks([NAME, NUMBER, HEALTH], (100, 100), SCORES, 50)
    assert [m.level for m in (full, whole, fine, high)] == list(Level)
    assert (full.covered, whole.covered) == (0, 1)
    assert fine.covered == pytest.approx(0.3, abs=0.03)
    assert high.covered == pytest.approx(0.2, abs=0.02)
    assert full.risk == pytest.approx(200 + SCORES["diagnosis"])
    assert (whole.risk, fine.risk, high.risk) == pytest.approx((0, 0, SCORES["diagnosis"]))


@given(st.lists(st.floats(0, 101), min_size=2, max_size=2).map(sorted))
def test_a_higher_threshold_covers_no_more_and_leaves_no_less_risk(thresholds: list[float]) -> None:
    low, high = (masks([NAME, NUMBER, HEALTH], (100, 100), SCORES, t)[3] for t in thresholds)
    assert low.covered >= high.covered
    assert low.risk <= high.risk


def test_without_a_threshold_the_high_risk_mask_is_the_fine_one_and_above_all_scores_it_is_empty() -> None:
    _, _, fine, high = masks([NAME, NUMBER, HEALTH], (100, 100), SCORES, 0)
    assert (high.covered, high.risk) == (fine.covered, 0)
    assert masks([NAME], (100, 100), SCORES, 101)[3].covered == 0


def test_overlapping_texts_count_once() -> None:
    assert covered([NAME, NAME], (100, 100)) == covered([NAME], (100, 100))
    assert covered([], (100, 100)) == 0
    assert covered([Private(box_polygon(0, 0, 5000, 5000), EntityType.PATIENT)], (10_000, 5000)) == pytest.approx(
        0.5, abs=0.01
    )


def finding(
    page: int, kind: EntityType, verdict: Verdict = Verdict.AUTO, decision: DecisionKind | None = None
) -> Finding:
    box = box_polygon(0, 0, 50, 20)
    return Finding("f", "a", None, page, box, None, "x", kind, 0.9, 0.0, 50, verdict, Action.REDACT, decision=decision)


def test_a_page_tells_its_category_its_types_and_its_masks() -> None:
    asset = Asset("a", "scan.png", "", "", 1, AssetKind.IMAGE)
    line = TextLine(box_polygon(0, 0, 50, 20), "INVOICE, bill to X", (), ())
    texts = [FrameText(0, 100, 100, (line,)), FrameText(1, 100, 100, ())]
    found = [
        finding(0, EntityType.PATIENT),
        finding(0, EntityType.AGE, Verdict.IGNORE),
        finding(0, EntityType.EMAIL, decision=DecisionKind.KEEP),
    ]
    first, second = risk_of_pages(asset, texts, found, SCORES, 50)
    assert (first.page, first.category, first.types) == (0, "bills or receipt", (EntityType.PATIENT,))
    assert (second.page, second.category, second.types) == (1, "", ())
    assert [mask.covered for mask in second.masks] == [0, 0, 0, 0]
    assert first.masks[2].covered == pytest.approx(0.1, abs=0.02)


def test_a_census_counts_each_document_once_a_type() -> None:
    rows = census(
        [
            ("b", [finding(0, EntityType.PATIENT), finding(1, EntityType.PATIENT), finding(0, EntityType.ID_SSN)]),
            ("b", [finding(0, EntityType.PATIENT, Verdict.IGNORE)]),
            ("a", [finding(0, EntityType.PATIENT, Verdict.QUEUE)]),
        ]
    )
    assert [(r.folder, r.documents, r.private) for r in rows] == [("a", 1, 1), ("b", 2, 1), ("", 3, 2)]
    assert rows[1].types == {EntityType.PATIENT: 1, EntityType.ID_SSN: 1}
    assert rows[2].types == {EntityType.PATIENT: 2, EntityType.ID_SSN: 1}
    assert census([]) == []
