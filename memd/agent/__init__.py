"""Who proposes memories: backends, and the evidence they are given."""
