"""Timings, as ratios within one run: ``python -m bench``."""
