"""What the site looks like: style sheet, script, templates, and the fonts they need."""
