"""Changes one thing at a time, and asks whether a check notices."""
