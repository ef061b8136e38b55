"""The words by which the rule engine knows acts of speech, by language."""
