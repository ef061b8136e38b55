"""What memd must not forget: conversations, jobs, runs and who owns what, in one SQLite file.

The ledger is the queue. Daemon, worker and command line share it; every write is one IMMEDIATE transaction,
and the result of a job counts only while its fencing token holds.
"""

from memd.ledger.dreams import DreamPlace, Dreamt
from memd.ledger.drift import DRIFT
from memd.ledger.ledger import Ledger, open_ledger, read_ledger
from memd.ledger.nouns import Counts, Job, JobRequest, Outcome, Queue, Run, Session
from memd.ledger.opening import broken
from memd.ledger.slots import HOST_LIMIT
from memd.ledger.spend import Circuit, Spent
from memd.ledger.told import Told

__all__ = [
    "DRIFT",
    "HOST_LIMIT",
    "Circuit",
    "Counts",
    "DreamPlace",
    "Dreamt",
    "Job",
    "JobRequest",
    "Ledger",
    "Outcome",
    "Queue",
    "Run",
    "Session",
    "Spent",
    "Told",
    "broken",
    "open_ledger",
    "read_ledger",
]
