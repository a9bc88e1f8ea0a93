"""The theme of a site: style sheets, scripts, templates, and the fonts that they need."""
