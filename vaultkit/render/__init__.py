"""Renders notes as HTML, from the tokens that `vaultkit.read` makes.

`host` is the Python-Markdown extension through which MkDocs or another host calls it. `blocks` and
`inline` turn tokens into elements; `links`, `code`, `mathematics`, `embeds` and the other modules
render one kind of content each. `page` is the state of the page that is being rendered.
"""
