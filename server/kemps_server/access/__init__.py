"""Who asks, and what they may: roles by token or login, and where a request may come from."""
