"""Extracts the claims in the English text of a note: numbers, shapes, values of inline code.

`claims_of` derives them from a parsed note on demand. Whether they are true is decided by
`vaultkit.checks`.
"""
