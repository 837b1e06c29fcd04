"""The steps from each older database to today's; each is frozen, whatever the program does later."""
