"""Assets, the text located on their frames, the identifiers read from their headers, and outputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from deidra.app.domain.geometry import as_polygon
from deidra.app.domain.model import (
    Asset,
    AssetKind,
    AssetStatus,
    Evidence,
    FrameText,
    Identifier,
    Inventory,
    LocatedText,
    TextLine,
)
from deidra.app.domain.taxonomy import EntityType
from deidra.storage import schema
from deidra.storage.database import Database

ALL_FRAMES = -1
_READ = (AssetStatus.LOADED, AssetStatus.DETECTED, AssetStatus.DECIDED)


@dataclass(frozen=True, slots=True)
class Output:
    """What became of an asset in the newest release: ``output`` is relative to the release folder."""

    asset_id: str
    output: str
    status: str
    reason: str


class AssetTable:
    """Input files and everything read from them before meaning is given to it."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(self, assets: Iterable[Asset]) -> int:
        """Insert assets that are not known yet; returns how many were new."""
        new = {asset.id: asset for asset in assets}
        with self._db.begin() as connection:
            known = set(connection.scalars(select(schema.assets.c.id).where(schema.assets.c.id.in_(list(new)))))
            rows = [_asset_values(asset) for asset_id, asset in new.items() if asset_id not in known]
            if rows:
                connection.execute(insert(schema.assets), rows)
            return len(rows)

    def all(self, status: AssetStatus | None = None) -> list[Asset]:
        """Assets in a stable order (by path, then archive member)."""
        query = select(schema.assets).order_by(schema.assets.c.path, schema.assets.c.member, schema.assets.c.sha256)
        if status is not None:
            query = query.where(schema.assets.c.status == status.value)
        with self._db.read() as connection:
            return [_asset(row) for row in connection.execute(query)]

    def get(self, asset_id: str) -> Asset:
        """One asset.

        Raises:
            KeyError: there is no such asset.
        """
        with self._db.read() as connection:
            row = connection.execute(select(schema.assets).where(schema.assets.c.id == asset_id)).one_or_none()
        if row is None:
            raise KeyError(asset_id)
        return _asset(row)

    def set_status(self, asset_id: str, status: AssetStatus, reason: str = "") -> None:
        """Move an asset on, or into quarantine with a reason that a curator understands."""
        with self._db.begin() as connection:
            _set_status(connection, asset_id, status, reason)

    def save_loaded(self, asset: Asset, identifiers: Sequence[Identifier]) -> None:
        """Store what the header told, with the identifiers found in it, in one transaction."""
        with self._db.begin() as connection:
            connection.execute(
                update(schema.assets).where(schema.assets.c.id == asset.id).values(**_asset_values(asset))
            )
            connection.execute(delete(schema.identifiers).where(schema.identifiers.c.asset_id == asset.id))
            unique = {(i.type.value, i.value): i for i in identifiers}
            if unique:
                connection.execute(
                    insert(schema.identifiers),
                    [
                        {"asset_id": asset.id, "type": kind, "value": value, "source": i.source}
                        for (kind, value), i in unique.items()
                    ],
                )

    def save_texts(self, found: Mapping[str, LocatedText], held: Mapping[str, str]) -> None:
        """Store all text located on some assets and mark them detected, in one transaction.

        Args:
            found: by asset, its text; how much was searched goes to ``info["searched"]``.
            held: by asset that could not be searched, why: it goes into quarantine.
        """
        with self._db.begin() as connection:
            known = select(schema.assets.c.id, schema.assets.c.info).where(schema.assets.c.id.in_(list(found)))
            infos = {row.id: row.info for row in connection.execute(known)}
            for asset_id, text in found.items():
                connection.execute(delete(schema.frames).where(schema.frames.c.asset_id == asset_id))
                if text.frames:
                    values = [_frame_values(asset_id, frame) for frame in text.frames]
                    connection.execute(insert(schema.frames), values)
                info = {**infos[asset_id], "searched": text.searched}
                connection.execute(update(schema.assets).where(schema.assets.c.id == asset_id).values(info=info))
                _set_status(connection, asset_id, AssetStatus.DETECTED)
            for asset_id, reason in held.items():
                _set_status(connection, asset_id, AssetStatus.QUARANTINED, reason)

    def text(self, asset_id: str) -> list[FrameText]:
        """All text located on an asset, frame by frame."""
        query = select(schema.frames).where(schema.frames.c.asset_id == asset_id).order_by(schema.frames.c.frame_index)
        with self._db.read() as connection:
            return [_frame(row) for row in connection.execute(query)]

    def count_frames(self) -> int:
        """How many frames and pages have text stored, in all assets."""
        with self._db.read() as connection:
            return int(connection.execute(select(func.count()).select_from(schema.frames)).scalar_one())

    def identifiers(self) -> list[Identifier]:
        """Every identifier known to the project, without repetition, in a stable order."""
        table = schema.identifiers
        query = (
            select(schema.assets.c.patient_key, table.c.type, table.c.value, func.min(table.c.source).label("source"))
            .join(schema.assets, schema.assets.c.id == table.c.asset_id)
            .group_by(schema.assets.c.patient_key, table.c.type, table.c.value)
            .order_by(schema.assets.c.patient_key, table.c.type, table.c.value)
        )
        with self._db.read() as connection:
            return [
                Identifier(row.patient_key, EntityType(row.type), row.value, row.source)
                for row in connection.execute(query)
            ]

    def identifiers_of(self, asset_id: str) -> list[Identifier]:
        """The identifiers in one asset's header, by element and value."""
        table = schema.identifiers
        query = (
            select(schema.assets.c.patient_key, table.c.type, table.c.value, table.c.source)
            .join(schema.assets, schema.assets.c.id == table.c.asset_id)
            .where(table.c.asset_id == asset_id)
            .order_by(table.c.source, table.c.value)
        )
        with self._db.read() as connection:
            return [Identifier(r.patient_key, EntityType(r.type), r.value, r.source) for r in connection.execute(query)]

    def counts(self) -> dict[str, int]:
        """Number of assets by status."""
        query = select(schema.assets.c.status, func.count().label("number")).group_by(schema.assets.c.status)
        with self._db.read() as connection:
            return {row.status: row.number for row in connection.execute(query)}

    def inventory(self) -> Inventory:
        """Patients, studies, series and instances that were read, and documents with their pages."""
        columns = schema.assets.c
        read = columns.status.in_([s.value for s in _READ])
        dicom = (columns.kind == AssetKind.DICOM.value) & read
        counted = [columns.patient_key, columns.study_uid, columns.series_uid, columns.instance_uid]
        query = select(*(func.count(func.distinct(func.nullif(column, ""))) for column in counted)).where(dicom)
        documents = select(columns.info).where(columns.kind != AssetKind.DICOM.value, read)
        with self._db.read() as connection:
            patients, studies, series, instances = (int(number) for number in tuple(connection.execute(query).one()))
            pages = [int(info.get("pages", 0)) for info in connection.scalars(documents)]
        return Inventory(patients, studies, series, instances, len(pages), sum(pages))

    def save_outputs(self, outputs: Iterable[Output]) -> None:
        """Replace the record of what the newest release wrote for each asset."""
        rows = [{"asset_id": o.asset_id, "output": o.output, "status": o.status, "reason": o.reason} for o in outputs]
        with self._db.begin() as connection:
            connection.execute(delete(schema.outputs))
            if rows:
                connection.execute(insert(schema.outputs), rows)

    def outputs(self) -> dict[str, Output]:
        """What the newest release wrote, by asset id."""
        with self._db.read() as connection:
            return {
                row.asset_id: Output(row.asset_id, row.output, row.status, row.reason)
                for row in connection.execute(select(schema.outputs))
            }


def _set_status(connection: Connection, asset_id: str, status: AssetStatus, reason: str = "") -> None:
    connection.execute(
        update(schema.assets).where(schema.assets.c.id == asset_id).values(status=status.value, reason=reason)
    )


def _asset_values(asset: Asset) -> dict[str, Any]:
    return {
        "id": asset.id,
        "path": asset.path,
        "member": asset.member,
        "sha256": asset.sha256,
        "size": asset.size,
        "kind": asset.kind.value,
        "status": asset.status.value,
        "reason": asset.reason,
        "patient_key": asset.patient_key,
        "study_uid": asset.study_uid,
        "series_uid": asset.series_uid,
        "instance_uid": asset.instance_uid,
        "modality": asset.modality,
        "info": dict(asset.info),
    }


def _asset(row: Row[Any]) -> Asset:
    values: dict[str, Any] = row._asdict()
    return Asset(**{**values, "kind": AssetKind(row.kind), "status": AssetStatus(row.status)})


def evidence_values(item: Evidence) -> dict[str, Any]:
    """One piece of evidence as JSON-ready values."""
    return {
        "agent": item.agent,
        "text": item.text,
        "type": item.type.value if item.type else None,
        "score": item.score,
        "variance": item.variance,
        "detail": item.detail,
    }


def evidence_of(values: Mapping[str, Any]) -> Evidence:
    """The inverse of :func:`evidence_values`."""
    kind = values["type"]
    return Evidence(
        agent=values["agent"],
        text=values["text"],
        type=EntityType(kind) if kind else None,
        score=values["score"],
        variance=values["variance"],
        detail=values["detail"],
    )


def _frame_values(asset_id: str, frame: FrameText) -> dict[str, Any]:
    return {
        "asset_id": asset_id,
        "frame_index": ALL_FRAMES if frame.index is None else frame.index,
        "width": frame.width,
        "height": frame.height,
        "lines": [
            {
                "polygon": line.polygon,
                "text": line.text,
                "spans": line.char_spans,
                "evidence": [evidence_values(item) for item in line.evidence],
                "kind": line.kind,
            }
            for line in frame.lines
        ],
    }


def _frame(row: Row[Any]) -> FrameText:
    lines = tuple(
        TextLine(
            polygon=as_polygon(line["polygon"]),
            text=line["text"],
            char_spans=tuple((start, end) for start, end in line["spans"]),
            evidence=tuple(evidence_of(item) for item in line["evidence"]),
            # Lines that were stored before detectors told kinds apart have none.
            kind=line.get("kind", ""),
        )
        for line in row.lines
    )
    index = None if row.frame_index == ALL_FRAMES else row.frame_index
    return FrameText(index, row.width, row.height, lines)
