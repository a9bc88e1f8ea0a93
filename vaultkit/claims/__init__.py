"""Extracts the claims in the English text of a note: numbers, shapes, values of inline code.

The entry is `claims.claims_of`, which derives them from a parsed note on demand. `vaultkit.checks`
decides whether they are true.
"""
