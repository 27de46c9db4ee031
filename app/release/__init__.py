"""The release stage: export, re-scan, manifest, reports, verification."""
