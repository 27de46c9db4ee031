"""The metadata stage: what happens to every header value, by profile, key and decision."""
