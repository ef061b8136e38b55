"""Team memory: what stands in `team/`, kept the same on every machine of a team through a git remote."""
