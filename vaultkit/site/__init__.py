"""A site as data: what it has besides its rendered notes, as search, graph, navigation, ledger.

Each module takes notes, finished HTML or checks, and returns HTML or data; `model` joins them. None
imports a host: `vaultkit.doors` calls them for MkDocs and for Zensical.
"""
