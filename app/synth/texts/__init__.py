"""Synthetic texts with their private values marked: header fields, notes, cells of forms, lines read from images."""
