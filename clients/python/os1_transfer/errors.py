"""What can go wrong, as the command line says it."""


class TransferError(Exception):
    """A refusal: a stable code, one sentence, and what to do."""

    def __init__(self, code, message, fix=None, details=None):
        super().__init__(message if fix is None else f"{message} (try: {fix})")
        self.code = code
        self.message = message
        self.fix = fix
        self.details = details
