"""What a site has around its pages: search, graph, road, terms, checks; no host."""
