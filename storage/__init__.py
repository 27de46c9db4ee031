"""The project database: assets, findings, decisions, identifiers, crosswalk, audit. All SQL lives here."""

from deidra.storage.store import ProjectStore

__all__ = ["ProjectStore"]
