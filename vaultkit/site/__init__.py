"""The parts of a site besides its rendered notes: search index, graph, navigation, terms, ledger.

Each module is a function from notes, finished HTML or checks to HTML or data. None knows a host:
`vaultkit.doors` calls them from MkDocs.
"""
