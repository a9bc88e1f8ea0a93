"""Tokens to HTML: blocks, what stands in their lines, code, mathematics, notes within notes."""
