"""Draws docs/figures/*.svg: one function a figure."""
