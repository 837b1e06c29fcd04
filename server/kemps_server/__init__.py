"""The command line, reports and the server."""
