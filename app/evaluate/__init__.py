"""Measuring Deidra: against standards, answer keys and peers. Nothing here is needed to run it."""
