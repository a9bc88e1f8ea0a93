"""The doors, adapters between the engine and its hosts: pytest, MkDocs, the command line, editors.

A door passes the calls of its host on to the pipeline and to the site; it decides no verdict.
Modules without the name of a host serve several doors.
"""
