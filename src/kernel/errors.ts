/**
 * Errors people can act on. One class, one table of codes, one map from the kind
 * of an error to its HTTP status and exit code. `docs/errors.md` lists the same
 * table for readers, and a test compares the two.
 */

/** The first HTTP status of a kind is its usual one; a code may choose another of the list. */
export const errorKinds = {
  broken: { exit: 1, http: [500] },
  invalid: { exit: 2, http: [400, 415] },
  usage: { exit: 2, http: [400, 405] },
  denied: { exit: 3, http: [403, 401] },
  missing: { exit: 4, http: [404, 410] },
  conflict: { exit: 5, http: [409] },
  confirmation: { exit: 5, http: [409] },
  limit: { exit: 6, http: [429, 413] },
  unavailable: { exit: 7, http: [503] },
  timeout: { exit: 8, http: [504] },
  interrupted: { exit: 130, http: [] },
} as const satisfies Record<string, { exit: number; http: readonly number[] }>;

export type ErrorKind = keyof typeof errorKinds;

/** Every code there is. A code is `area.what` and never changes its meaning. */
export const errorCodes = {
  'internal.bug': { kind: 'broken' },
  'node.too-old': { kind: 'broken' },
  'build.missing': { kind: 'broken' },

  'usage.unknown-command': { kind: 'usage' },
  'usage.missing-command': { kind: 'usage' },
  'usage.unknown-option': { kind: 'usage' },
  'usage.missing-argument': { kind: 'usage' },
  'usage.extra-argument': { kind: 'usage' },
  'usage.bad-value': { kind: 'usage' },

  'config.unreadable': { kind: 'unavailable' },
  'config.malformed': { kind: 'invalid' },
  'config.unknown-key': { kind: 'invalid' },
  'config.bad-value': { kind: 'invalid' },

  'id.unknown': { kind: 'missing' },
  'id.ambiguous': { kind: 'conflict' },

  'agent.bad-name': { kind: 'invalid' },
  'agent.exists': { kind: 'conflict' },
  'agent.bad-spec': { kind: 'invalid' },
  'agent.wrong-state': { kind: 'conflict' },
  'agent.not-there': { kind: 'unavailable' },
  'operation.unknown': { kind: 'missing' },
  'operation.over': { kind: 'conflict' },
  'operation.bad-goal': { kind: 'invalid' },
  'operation.no-agent': { kind: 'missing' },
  'operation.late': { kind: 'timeout' },
  'operation.cancelled': { kind: 'conflict' },
  'operation.no-progress': { kind: 'limit' },
  'operation.too-long': { kind: 'limit' },
  'operation.unread': { kind: 'broken' },
  'operation.erased': { kind: 'missing', http: 410 },
  'operation.not-finished': { kind: 'conflict' },
  'operation.not-yours': { kind: 'denied' },
  'operation.over-limit': { kind: 'limit', http: 413 },
  'artifact.unknown': { kind: 'missing' },
  'artifact.expired': { kind: 'missing', http: 410 },
  'artifact.bad-name': { kind: 'invalid' },
  'artifact.too-large': { kind: 'limit', http: 413 },
  'artifact.too-many': { kind: 'limit', http: 413 },
  'artifact.no-operation': { kind: 'invalid' },
  'artifact.exists': { kind: 'conflict' },
  'demo.failed': { kind: 'broken' },
  'wait.timeout': { kind: 'timeout' },
  'budget.malformed': { kind: 'invalid' },
  'budget.spent': { kind: 'limit' },
  'budget.too-small': { kind: 'invalid' },
  'lease.lost': { kind: 'conflict' },
  'model.unknown': { kind: 'missing' },
  'model.no-key': { kind: 'unavailable' },
  'model.bad-key': { kind: 'unavailable' },
  'model.overloaded': { kind: 'unavailable' },
  'model.unreachable': { kind: 'unavailable' },
  'model.cut-off': { kind: 'unavailable' },
  'model.refused': { kind: 'invalid' },
  'model.bad-script': { kind: 'invalid' },
  'program.missing': { kind: 'missing' },
  'program.not-executable': { kind: 'denied' },
  'program.bad-folder': { kind: 'missing' },
  'program.not-started': { kind: 'unavailable' },
  'program.not-ended': { kind: 'unavailable' },
  'sandbox.unavailable': { kind: 'unavailable' },
  'sandbox.not-started': { kind: 'unavailable' },
  'sandbox.bad-folder': { kind: 'invalid' },
  'sandbox.full': { kind: 'limit' },
  'shell.unknown-program': { kind: 'missing' },
  'shell.bad-order': { kind: 'invalid' },

  'identity.broken-key': { kind: 'unavailable' },
  'identity.missing-key': { kind: 'unavailable' },

  'audit.bad-head': { kind: 'invalid' },
  'audit.unknown-event': { kind: 'missing' },
  'audit.not-erasable': { kind: 'denied' },
  'audit.too-many': { kind: 'limit', http: 413 },

  'disk.missing': { kind: 'missing' },
  'disk.exists': { kind: 'conflict' },
  'disk.denied': { kind: 'denied' },
  'disk.full': { kind: 'unavailable' },
  'disk.read-only': { kind: 'unavailable' },
  'disk.not-a-folder': { kind: 'invalid' },
  'disk.not-a-file': { kind: 'invalid' },
  'disk.not-empty': { kind: 'conflict' },
  'disk.too-many-open': { kind: 'unavailable' },
  'disk.bad-name': { kind: 'invalid' },
  'disk.too-large': { kind: 'limit', http: 413 },
  'disk.no-watches': { kind: 'unavailable' },
  'disk.failed': { kind: 'unavailable' },

  'blob.corrupt': { kind: 'broken' },
  'blob.missing': { kind: 'missing' },
  'blob.wrong-key': { kind: 'broken' },
  'transfer.unknown': { kind: 'missing' },
  'transfer.no-recipient': { kind: 'missing' },
  'transfer.over': { kind: 'missing', http: 410 },
  'transfer.denied': { kind: 'denied' },
  'transfer.bad-name': { kind: 'invalid' },
  'transfer.bad-source': { kind: 'invalid' },
  'transfer.bad-folder': { kind: 'invalid' },
  'transfer.changed': { kind: 'conflict' },
  'transfer.exists': { kind: 'conflict' },
  'transfer.busy': { kind: 'conflict' },
  'transfer.wrong-state': { kind: 'conflict' },
  'transfer.quota': { kind: 'limit', http: 413 },
  'transfer.corrupt': { kind: 'broken' },
  'transfer.gave-up': { kind: 'unavailable' },
  'transfer.timeout': { kind: 'timeout' },

  'audit.broken': { kind: 'unavailable' },
  'daemon.failed': { kind: 'unavailable' },

  'backup.wrong-passphrase': { kind: 'denied' },
  'restore.occupied': { kind: 'conflict' },
  'restore.not-a-backup': { kind: 'invalid' },
  'restore.damaged': { kind: 'unavailable' },
  'restore.no-key': { kind: 'conflict' },

  'home.broken-lock': { kind: 'unavailable' },
  'home.busy': { kind: 'conflict' },
  'home.foreign': { kind: 'conflict' },
  'home.long-path': { kind: 'invalid' },
  'home.network-disk': { kind: 'unavailable' },
  'home.not-a-folder': { kind: 'invalid' },
  'home.open-to-others': { kind: 'unavailable' },
  'home.takeover-denied': { kind: 'denied' },
  'home.takeover-failed': { kind: 'timeout' },

  'ledger.busy': { kind: 'unavailable' },
  'ledger.closed': { kind: 'unavailable' },
  'ledger.corrupt': { kind: 'unavailable' },
  'ledger.failed': { kind: 'unavailable' },
  'ledger.fenced': { kind: 'conflict' },
  'ledger.foreign': { kind: 'conflict' },
  'ledger.foreign-await': { kind: 'broken' },
  'ledger.full': { kind: 'unavailable' },

  'ledger.missing': { kind: 'unavailable' },
  'ledger.newer': { kind: 'conflict' },
  'ledger.read-only': { kind: 'unavailable' },
  'ledger.unreadable': { kind: 'unavailable' },

  'agent.unknown': { kind: 'missing' },
  'daemon.down': { kind: 'unavailable' },
  'daemon.silent': { kind: 'timeout' },
  'events.unknown-position': { kind: 'invalid' },
  'gateway.bad-request': { kind: 'invalid' },
  'gateway.bad-media': { kind: 'invalid', http: 415 },
  'gateway.key-reused': { kind: 'conflict' },
  'gateway.key-busy': { kind: 'conflict' },
  'gateway.foreign-host': { kind: 'denied' },
  'gateway.foreign-origin': { kind: 'denied' },
  'gateway.no-door': { kind: 'unavailable' },
  'gateway.not-ready': { kind: 'unavailable' },
  'gateway.owner-only': { kind: 'denied' },
  'gateway.slow-request': { kind: 'timeout' },
  'gateway.strange-answer': { kind: 'unavailable' },
  'gateway.too-large': { kind: 'limit', http: 413 },
  'gateway.too-many': { kind: 'limit' },
  'gateway.unknown-route': { kind: 'missing' },
  'gateway.wrong-method': { kind: 'usage', http: 405 },
  'gateway.version': { kind: 'conflict' },
  'message.malformed': { kind: 'invalid' },
  'message.too-large': { kind: 'limit', http: 413 },
  'message.checksum': { kind: 'invalid' },
  'message.denied': { kind: 'denied' },
  'message.no-recipient': { kind: 'missing' },
  'message.mailbox-full': { kind: 'limit' },
  'message.unknown': { kind: 'missing' },
  'message.not-recipient': { kind: 'denied' },
  'message.no-answer': { kind: 'timeout' },
  'message.refused': { kind: 'conflict' },
  'message.not-yet': { kind: 'timeout' },
  'message.undelivered': { kind: 'unavailable' },
  'message.ended': { kind: 'conflict' },
  'message.stream-gap': { kind: 'conflict' },
  'message.stream-full': { kind: 'limit' },
  'message.no-attachment': { kind: 'missing' },
  'channel.bad-name': { kind: 'invalid' },
  'lead.none': { kind: 'missing' },
  'lead.taken': { kind: 'conflict' },
  'capability.bad': { kind: 'invalid' },
  'capability.denied': { kind: 'denied' },
  'capability.not-narrower': { kind: 'denied' },
  'capability.revoked': { kind: 'denied' },
  'capability.used-up': { kind: 'limit' },
  'capability.unknown': { kind: 'missing' },
  'capability.too-many': { kind: 'limit' },
  'tool.unknown': { kind: 'missing' },
  'tool.bad-arguments': { kind: 'invalid' },
  'tool.failed': { kind: 'unavailable' },
  'tool.timeout': { kind: 'timeout' },
  'tool.too-large': { kind: 'limit', http: 413 },
  'tool.interrupted': { kind: 'unavailable' },
  'tool.unsure': { kind: 'conflict' },
  'tool.unknown-call': { kind: 'missing' },
  'tool.too-many': { kind: 'limit' },
  'tool.key-used': { kind: 'conflict' },
  'tool.not-unsure': { kind: 'conflict' },
  'approval.needed': { kind: 'confirmation' },
  'approval.unknown': { kind: 'missing' },
  'approval.answered': { kind: 'conflict' },
  'approval.changed': { kind: 'conflict' },
  'approval.denied': { kind: 'denied' },
  'approval.expired': { kind: 'timeout' },
  'approval.not-yours': { kind: 'denied' },
  'secret.bad': { kind: 'invalid' },
  'secret.unknown': { kind: 'missing' },
  'secret.taken': { kind: 'conflict' },
  'secret.broken-key': { kind: 'unavailable' },
  'secret.kept': { kind: 'confirmation' },
  'http.bad-url': { kind: 'invalid' },
  'http.bad-request': { kind: 'invalid' },
  'http.private-address': { kind: 'denied' },
  'http.unreachable': { kind: 'unavailable' },
  'http.bad-answer': { kind: 'unavailable' },
  'http.too-many-redirects': { kind: 'limit' },
  'http.too-large': { kind: 'limit', http: 413 },
  'file.bad-path': { kind: 'invalid' },
  'file.missing': { kind: 'missing' },
  'file.exists': { kind: 'conflict' },
  'file.not-a-file': { kind: 'invalid' },
  'file.not-text': { kind: 'invalid' },
  'file.too-large': { kind: 'limit', http: 413 },
  'file.changed': { kind: 'conflict' },
  'file.other-disk': { kind: 'denied' },

  'memory.bad-key': { kind: 'invalid' },
  'memory.bad-value': { kind: 'invalid' },
  'memory.bad-query': { kind: 'invalid' },
  'memory.bad-import': { kind: 'invalid' },
  'memory.too-large': { kind: 'limit', http: 413 },
  'memory.unknown': { kind: 'missing' },
  'memory.not-shared': { kind: 'missing' },
  'memory.kept': { kind: 'confirmation' },
  'memory.no-embedder': { kind: 'unavailable' },
  'memory.embedder-failed': { kind: 'unavailable' },

  'files.invalid-input': { kind: 'invalid' },
  'files.invalid-path': { kind: 'invalid' },
  'files.outside-root': { kind: 'denied' },
  'files.permission-denied': { kind: 'denied' },
  'files.secret': { kind: 'denied' },
  'files.protected': { kind: 'denied' },
  'files.not-found': { kind: 'missing' },
  'files.not-a-regular-file': { kind: 'invalid' },
  'files.not-a-folder': { kind: 'invalid' },
  'files.is-a-folder': { kind: 'invalid' },
  'files.not-text': { kind: 'invalid' },
  'files.too-large': { kind: 'limit', http: 413 },
  'files.too-complex': { kind: 'limit', http: 413 },
  'files.too-many': { kind: 'limit', http: 413 },
  'files.no-space': { kind: 'unavailable' },
  'files.read-only': { kind: 'unavailable' },
  'files.other-disk': { kind: 'denied' },
  'files.conflict': { kind: 'conflict' },
  'files.same-file': { kind: 'conflict' },
  'files.changed': { kind: 'conflict' },
  'files.confirmation-required': { kind: 'confirmation' },
  'files.plan-changed': { kind: 'confirmation' },
  'files.token-used': { kind: 'conflict' },
  'files.token-expired': { kind: 'conflict' },
  'files.token-not-yours': { kind: 'denied' },
  'files.token-unknown': { kind: 'missing' },
  'files.token-other-request': { kind: 'conflict' },
  'files.unknown-plan': { kind: 'missing' },
  'files.not-undoable': { kind: 'conflict' },
  'files.not-in-trash': { kind: 'missing' },
  'files.no-trash': { kind: 'unavailable' },
  'files.permanent-refused': { kind: 'denied' },
  'files.out-of-scope': { kind: 'invalid' },
  'files.not-understood': { kind: 'invalid' },
  'files.interrupted': { kind: 'conflict' },
  'files.timeout': { kind: 'timeout' },
  'files.no-index': { kind: 'missing' },
  'files.failed': { kind: 'unavailable' },
  'handle.missing': { kind: 'denied', http: 401 },
  'handle.unknown': { kind: 'denied', http: 401 },
  'handle.wrong-door': { kind: 'denied' },
  'signature.bad': { kind: 'denied', http: 401 },
  'signature.unknown': { kind: 'denied', http: 401 },
  'signature.expired': { kind: 'denied', http: 401 },
  'signature.replayed': { kind: 'denied', http: 401 },

  'doctor.failed': { kind: 'unavailable' },

  'home.missing': { kind: 'missing' },
  'interrupted.signal': { kind: 'interrupted' },
} as const satisfies Record<string, CodeEntry>;

export type ErrorCode = keyof typeof errorCodes;

interface CodeEntry {
  readonly kind: ErrorKind;
  /** Only where it is not the first status of its kind. */
  readonly http?: number;
}

export interface ErrorWords {
  /** One plain sentence: what could not be done, the values quoted. */
  readonly message: string;
  /** What to do next, best as a command that can be pasted. */
  readonly fix?: string | undefined;
  /** Facts for a program that reads the error; plain JSON. */
  readonly details?: unknown;
  readonly cause?: unknown;
}

/** What crosses a border (terminal, wire, ledger) when something fails. */
export interface ErrorReport {
  readonly code: ErrorCode;
  readonly message: string;
  readonly fix?: string;
  readonly details?: unknown;
}

const brand = Symbol.for('agent-os.error');

export class AosError extends Error {
  // The program is bundled in two parts, each with this class in it. An error that comes out of the
  // other part is the same to the code that catches it.
  static override [Symbol.hasInstance](thrown: unknown): thrown is AosError {
    return typeof thrown === 'object' && thrown !== null && brand in thrown;
  }

  override readonly name = 'AosError';
  readonly [brand] = true;
  readonly code: ErrorCode;
  readonly fix: string | undefined;
  readonly details: unknown;

  constructor(code: ErrorCode, words: ErrorWords) {
    super(words.message, words.cause === undefined ? undefined : { cause: words.cause });
    this.code = code;
    this.fix = words.fix;
    this.details = words.details;
  }
}

export function exitCodeOf(code: ErrorCode): number {
  return errorKinds[errorCodes[code].kind].exit;
}

/** Whether what was thrown is an AosError of that code. */
export function hasCode(thrown: unknown, code: ErrorCode): boolean {
  return thrown instanceof AosError && thrown.code === code;
}

/** `undefined` for what has no answer on the wire: the caller has gone. */
export function httpStatusOf(code: ErrorCode): number | undefined {
  const entry: CodeEntry = errorCodes[code];
  return entry.http ?? errorKinds[entry.kind].http[0];
}

/**
 * Turns whatever was thrown into a report. What is not an AosError is a bug of
 * ours: the report names it and keeps the stack out of the user's way.
 */
export function toReport(thrown: unknown): ErrorReport {
  const error = thrown instanceof AosError ? thrown : bug(thrown);
  return {
    code: error.code,
    message: error.message,
    ...(error.fix === undefined ? {} : { fix: error.fix }),
    ...(error.details === undefined ? {} : { details: error.details }),
  };
}

function bug(thrown: unknown): AosError {
  const what = thrown instanceof Error ? thrown.message : String(thrown);
  const [firstLine = ''] = what.split('\n');
  return new AosError('internal.bug', {
    message: `Agent OS broke where it should not have: ${firstLine || 'no message'}`,
    fix: 'Run the same command with --debug to see where, and report it',
    cause: thrown,
  });
}
