"""The doors, adapters between the engine and its hosts: pytest, MkDocs, the command line, editors.

A door passes the calls of its host on to the pipeline and to the site; it decides no verdict.
The entries are `pytest_plugin`, `mkdocs_plugin`, `zensical_site`, `command_line`, `language_server`
and `browser`; the other modules belong to one or several of them.
"""
