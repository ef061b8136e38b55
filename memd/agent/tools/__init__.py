"""What the restricted agent can do: look, within three roots, and write memories into a private copy."""

from __future__ import annotations

from memd.agent.tools.toolbox import Toolbox, ToolResult

__all__ = ["ToolResult", "Toolbox"]
