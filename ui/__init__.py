"""Qt. Nothing outside this package imports it."""
