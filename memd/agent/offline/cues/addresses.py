"""What an address outside the repository looks like, in folded text."""

from __future__ import annotations

import re

HOST = re.compile(
    r"\\\\[a-z0-9][\w.-]*\\[^\s，。；、）)>\"']+|(?:smb|s3|gs|nfs|hdfs|ftp|sftp|oss)://\S+|https?://[^\s，。；、）)>\"']+"
    r"|(?<![\w./@-])(?:[a-z0-9][a-z0-9-]*\.)+(?!(?:rs|ts|tsx|js|jsx|py|go|json|md|ya?ml|toml|sh|sql"
    r"|css|html?|txt|java|c|h|cpp"
    r"|rb|csv|xlsx?|lock|log|png|svg|pdf|env|ini|conf|cfg|kt|swift|vue|proto|tf"
    r"|xml)\b)[a-z]{2,12}(?::\d+)?/[^\s，。；、）)>\"']+"
    r"|(?<![\w./@-])(?:[a-z0-9][a-z0-9-]*\.)+(?:com|org|net|io|internal|corp|intra|local|lan|cn"
    r"|example|dev|app|cloud|ai)\b"
)
CHANNEL = re.compile(r"(?<![\w/&])#(?![0-9a-f]{6}\b)[a-z][\w-]{2,}")
NEVER_A_PLACE = re.compile(
    r"\{\w+\}|localhost|127\.0\.0\.1|//\d+\.\d+\.\d+\.\d+|/(?:pull|commit|merge_requests|runs|actions|blob"
    r"|tree)/|/issues/\d|/-/"
)
