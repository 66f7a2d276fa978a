"""Files that arrive whole, between agents: ``agent-transfer`` for Python programs.

    from os1_transfer import AgentTransfer

    transfer = AgentTransfer(sender='samantha')
    transfer_id = transfer.send('report.md', recipient='jared')
"""

from .agent_transfer import AgentTransfer
from .errors import TransferError

__all__ = ["AgentTransfer", "TransferError"]
