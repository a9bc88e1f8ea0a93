"""NumPy, one concept a module, pure functions: what the notes import and show."""
