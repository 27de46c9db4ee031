"""The redact stage: decisions become pixels and header values."""
