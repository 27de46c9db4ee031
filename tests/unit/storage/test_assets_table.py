from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace

import pytest

from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import Asset, AssetStatus, Evidence, FrameText, Identifier, LocatedText, TextLine
from deidra.app.domain.taxonomy import EntityType
from deidra.storage import ProjectStore
from deidra.storage.assets import Output

MakeAsset = Callable[..., Asset]


def test_assets_come_back_as_they_were_stored(store: ProjectStore, asset: MakeAsset) -> None:
    full = asset(
        "x", member="in/zip.dcm", reason="r", patient_key="P", study_uid="1.2", modality="CT", info={"frames": 3}
    )
    assert store.assets.add([full]) == 1
    assert store.assets.get("x") == full
    assert full.location == "/in/x.dcm!in/zip.dcm"


def test_known_assets_are_not_added_again(store: ProjectStore, asset: MakeAsset) -> None:
    store.assets.add([asset("a")])
    store.assets.set_status("a", AssetStatus.DECIDED)
    assert store.assets.add([asset("a"), asset("b")]) == 1
    assert store.assets.get("a").status is AssetStatus.DECIDED


def test_an_unknown_asset_is_a_key_error(store: ProjectStore) -> None:
    with pytest.raises(KeyError, match="nothing"):
        store.assets.get("nothing")


def test_assets_are_listed_by_path_and_member(store: ProjectStore, asset: MakeAsset) -> None:
    store.assets.add(
        [asset("3", path="b"), asset("2", path="a", member="2"), asset("1", path="a", member="1"), asset("0", path="a")]
    )
    assert [a.id for a in store.assets.all()] == ["0", "1", "2", "3"]
    store.assets.set_status("2", AssetStatus.LOADED)
    assert [a.id for a in store.assets.all(AssetStatus.LOADED)] == ["2"]
    assert store.assets.counts() == {"registered": 3, "loaded": 1}


def test_located_text_comes_back_as_it_was_stored(store: ProjectStore, asset: MakeAsset) -> None:
    store.assets.add([asset("a")])
    line = TextLine(
        box_polygon(1.25, 2, 30, 9.5),
        "Jo 1",
        ((0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.0)),
        (Evidence("d", None, None, 0.9, 0.1, "x"), Evidence("r", "Jo 1", EntityType.PATIENT, 0.8, 0.0)),
        "handwriting",
    )
    frames = [FrameText(None, 64, 48, (line,)), FrameText(2, 64, 48, ())]
    store.assets.save_texts({"a": LocatedText(tuple(frames), 2)}, {})
    assert store.assets.text("a") == frames
    assert store.assets.get("a").info["searched"] == 2
    assert store.assets.get("a").status is AssetStatus.DETECTED
    store.assets.save_texts({"a": LocatedText(tuple(frames[1:]), 1)}, {})
    assert store.assets.text("a") == frames[1:]


def test_text_that_was_stored_before_lines_had_a_kind_has_none(
    store: ProjectStore, asset: MakeAsset, raw: sqlite3.Connection
) -> None:
    store.assets.add([asset("a")])
    line = TextLine(box_polygon(1, 2, 30, 9), "Jo", ((0.0, 0.5), (0.5, 1.0)), (), "barcode")
    store.assets.save_texts({"a": LocatedText((FrameText(None, 64, 48, (line,)),), 1)}, {})
    (lines,) = raw.execute("select lines from frames").fetchone()
    older = [{key: value for key, value in entry.items() if key != "kind"} for entry in json.loads(lines)]
    raw.execute("update frames set lines = ?", [json.dumps(older)])
    raw.commit()
    (frame,) = store.assets.text("a")
    assert frame.lines == (replace(line, kind=""),)


def test_identifiers_are_listed_once_for_each_patient(store: ProjectStore, asset: MakeAsset) -> None:
    store.assets.add([asset("a"), asset("b"), asset("c")])

    def known(patient: str, value: str, source: str = "PatientName") -> Identifier:
        return Identifier(patient, EntityType.PATIENT, value, source)

    store.assets.save_loaded(asset("a", patient_key="P1"), [known("P1", "Doe^Jo"), known("P1", "Doe^Jo", "Other")])
    store.assets.save_loaded(asset("b", patient_key="P1"), [known("P1", "Doe^Jo")])
    store.assets.save_loaded(asset("c", patient_key="P2"), [known("P2", "Doe^Jo"), known("P2", "Roe")])
    found = [(i.patient_key, i.value) for i in store.assets.identifiers()]
    assert found == [("P1", "Doe^Jo"), ("P2", "Doe^Jo"), ("P2", "Roe")]
    store.assets.save_loaded(asset("c", patient_key="P2"), [])
    assert [i.patient_key for i in store.assets.identifiers()] == ["P1"]


def test_the_outputs_are_those_of_the_newest_release(store: ProjectStore, asset: MakeAsset) -> None:
    store.assets.add([asset("a"), asset("b")])
    store.assets.save_outputs([Output("a", "P/a.dcm", "released", ""), Output("b", "", "quarantined", "why")])
    newest = Output("b", "P/b.dcm", "released", "")
    store.assets.save_outputs([newest])
    assert store.assets.outputs() == {"b": newest}


def test_the_crosswalk_keeps_the_first_surrogate(store: ProjectStore) -> None:
    store.remember("uid", {"1.2.3": "2.25.1"})
    store.remember("uid", {"1.2.3": "2.25.999", "1.2.4": "2.25.2"})
    store.remember("uid", {})
    store.remember("patient", {"1.2.3": "P1"})
    assert store.crosswalk("uid") == {"1.2.3": "2.25.1", "1.2.4": "2.25.2"}
    assert store.crosswalk("patient") == {"1.2.3": "P1"}


def test_the_crosswalk_takes_more_pairs_than_a_statement_has_variables(store: ProjectStore) -> None:
    pairs = {f"1.2.{n}": f"2.25.{n}" for n in range(3000)}
    store.remember("uid", pairs)
    assert store.crosswalk("uid") == pairs


def test_a_setting_is_replaced_and_an_absent_one_is_none(store: ProjectStore) -> None:
    assert store.value("x") is None
    store.set_value("x", "1")
    store.set_value("x", "2")
    assert store.value("x") == "2"
