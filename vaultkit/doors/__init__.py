"""The doors, adapters between the engine and its hosts: pytest, MkDocs, the command line, editors.

A door passes the calls of its host on to the pipeline and to the site; it checks and renders
nothing itself.
"""
