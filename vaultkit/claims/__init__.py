"""What the sentences of a note state: numbers, shapes, and what inline code comes to.

The words are English. `claims_of` derives all of it from a note when it is asked for; whether it is
true is for `vaultkit.checks` to find out.
"""
