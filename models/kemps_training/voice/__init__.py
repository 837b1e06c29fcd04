"""Training of what hears the calls: words by phones -> voices -> rooms and noise -> network -> weights."""
