"""The offline dream: deterministic rules that merge what says the same and let go of what no longer holds.

The same memories and notes give the same result, whatever the time of day; only a date that has passed makes a
difference. What the rules cannot tell with certainty they leave alone.
"""
