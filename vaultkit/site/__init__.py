"""The parts of a site besides its rendered notes: search index, graph, navigation, terms, ledger.

Each module takes notes, finished HTML or checks, and returns HTML or data. None imports a host:
`vaultkit.doors` calls them from MkDocs.
"""
