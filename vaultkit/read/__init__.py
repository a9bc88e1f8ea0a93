"""What notes say: syntax, records, Markdown and notebooks as notes, the vault they make up."""
