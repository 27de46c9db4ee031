"""Synthetic screens: pictures without text, text set on them, and the damage of real machines."""
