"""From tracks to what happened: the language of the rules."""
