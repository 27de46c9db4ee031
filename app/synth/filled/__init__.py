"""Filled documents of which is known what stands where: forms, letters, cards and reports."""
