"""The pipeline: load, metadata, detect, decide, review, redact, release. No Qt here."""
