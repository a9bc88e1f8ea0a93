"""The hosts that come to the checks: pytest, MkDocs, the command line. Each thin."""
