"""What editors ask of a vault, as functions of its notes: no protocol and no editor is known here.

Lines and columns are counted from 1, in characters, as everywhere; what a protocol counts in is
converted by `vaultkit.edit.text`.
"""
