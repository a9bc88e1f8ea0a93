"""The parts of a site besides its rendered notes: search index, graph, navigation, terms, ledger.

Each module has functions from notes, finished HTML or checks to HTML or data. None imports a host:
`vaultkit.doors` calls them from MkDocs.
"""
