"""What is a run? Its record (record), identity (keys), tokens (tokens), end (stops) and names (names)."""
