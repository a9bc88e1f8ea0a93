"""Python-Markdown extensions: Obsidian's syntax, mathematics, diagrams."""
