"""What an editor offers besides the checks, independent of any editor and its protocol.

While one types: completion (`complete`), the value of a variable (`hover`), definitions and
references (`find`), and repairs of failures (`actions`). Three features change notes, for the
command line, too: `bind` proposes comments that bind words and numbers to code (``<!-- = x -->``),
`annotate` keeps a note that lists all failures as links, and `rename` renames a note or heading
with all references to it.

Lines and columns are counted from 1, in characters; `vaultkit.edit.text` converts them to the
protocol's units.
"""
