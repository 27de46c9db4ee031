"""The load stage: recognise files, read headers, frames and pages. Originals are only read."""
