"""The features of an editor (completion, hover, rename), independent of any protocol.

Lines and columns are counted from 1, in characters; `vaultkit.edit.text` converts them to the
protocol's units.
"""
