"""People at the table: faces, hands and bodies as measured facts with times, never as accusations."""
