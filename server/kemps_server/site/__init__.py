"""The pages that the server makes anew for each visitor: templates, styles, scripts, words."""
