/**
 * Every setting there is. The table is itself the JSON Schema of config.json: what
 * is checked, what `aos config schema` prints and what the environment variables
 * are called all come from here. Settings are flat and each is one plain value, so
 * the check below is all that is needed; a schema library would cost every command a
 * sixth of its time (docs/decisions.md).
 */

type SettingSchema =
  | {
      readonly type: 'string';
      readonly default: string;
      readonly description: string;
      /** What it has to look like; anything where nothing is said. */
      readonly pattern?: string;
    }
  | {
      readonly type: 'integer';
      readonly minimum: number;
      readonly maximum: number;
      readonly default: number;
      readonly description: string;
    }
  | { readonly type: 'boolean'; readonly default: boolean; readonly description: string };

export const settingsTable = {
  home: {
    type: 'string',
    default: '~/.agent-relay',
    description: 'The folder that holds everything: ledger, agents, keys, logs.',
  },
  port: {
    type: 'integer',
    minimum: 0,
    maximum: 65535,
    default: 7717,
    description: 'The port on 127.0.0.1 that the daemon listens on; 0 lets the system choose one.',
  },
  auditDays: {
    type: 'integer',
    minimum: 1,
    maximum: 36500,
    default: 90,
    description: 'How long events are kept. Older ones are cut off behind a signed checkpoint.',
  },
  archiveDays: {
    type: 'integer',
    minimum: 1,
    maximum: 36500,
    default: 30,
    description: 'How long messages that are over, and their files, are kept.',
  },
  messageDays: {
    type: 'integer',
    minimum: 1,
    maximum: 30,
    default: 7,
    description: 'How long a message waits to be read before it expires.',
  },
  requestSeconds: {
    type: 'integer',
    minimum: 1,
    maximum: 86400,
    default: 60,
    description: 'How long a request waits to be answered before it expires.',
  },
  messagesPerSecond: {
    type: 'integer',
    minimum: 1,
    maximum: 1_000_000_000,
    default: 200,
    description: 'How many messages an agent may send in the long run; more are slowed down.',
  },
  messageBurst: {
    type: 'integer',
    minimum: 1,
    maximum: 1_000_000_000,
    default: 1000,
    description: 'How many messages an agent may send at once.',
  },
  mailboxMessages: {
    type: 'integer',
    minimum: 1,
    maximum: 100_000_000,
    default: 100_000,
    description: 'How many unread messages a mailbox takes.',
  },
  mailboxMegabytes: {
    type: 'integer',
    minimum: 1,
    maximum: 1_048_576,
    default: 1024,
    description: 'How many MiB of unread messages a mailbox takes.',
  },
  transferDays: {
    type: 'integer',
    minimum: 1,
    maximum: 366,
    default: 7,
    description: 'How long a transfer is kept for its recipient before it expires.',
  },
  transferQuotaMegabytes: {
    type: 'integer',
    minimum: 1,
    maximum: 1_073_741_824,
    default: 10_240,
    description: 'How many MiB a sender may have stored in transfers.',
  },
  operationSeconds: {
    type: 'integer',
    minimum: 1,
    maximum: 86_400,
    default: 600,
    description: "How long an outsider's operation may run; waiting for approvals does not count.",
  },
  operationMegabytes: {
    type: 'integer',
    minimum: 1,
    maximum: 1_000_000,
    default: 1000,
    description:
      "How many MB (millions of bytes) the workspace of an outsider's operation may hold.",
  },
  artifactDays: {
    type: 'integer',
    minimum: 1,
    maximum: 366,
    default: 7,
    description: 'How long an artifact is kept before it expires.',
  },
  artifactPhase: {
    type: 'integer',
    minimum: 1,
    maximum: 3,
    default: 3,
    description:
      'In phases 1 and 2 an operation carries its sealed artifacts in its answer; in 3 they are downloaded.',
  },
  filesRoot: {
    type: 'string',
    default: '~',
    description: 'The folder that the file agent works in: it touches nothing outside of it.',
  },
  trashFolder: {
    type: 'string',
    default: '~/.local/share/Trash',
    description: 'Where the file agent puts what is deleted: the trash of the desktop.',
  },
  filePlanDays: {
    type: 'integer',
    minimum: 1,
    maximum: 3650,
    default: 30,
    description: 'How long what the file agent has done can be undone.',
  },
  memoryTokens: {
    type: 'integer',
    minimum: 0,
    maximum: 100_000,
    default: 1500,
    description: 'How many tokens of its memories a model is told when it begins; 0 tells none.',
  },
  memoryEmbedder: {
    type: 'string',
    default: 'none',
    pattern: '^(?:none|use-lite|http)$',
    description:
      'What turns memories into vectors, to find them by meaning too: none, use-lite (on this machine, from npm) or http (Ollama, or what speaks as OpenAI does).',
  },
  memoryEmbedderUrl: {
    type: 'string',
    default: 'http://127.0.0.1:11434/api/embed',
    description: 'Where the embedder of memoryEmbedder http is asked.',
  },
  memoryEmbedderModel: {
    type: 'string',
    default: 'nomic-embed-text',
    description: 'Which model it is asked for.',
  },
  memoryEmbedderSecret: {
    type: 'string',
    default: 'none',
    description: 'The secret with its key; none where it wants no key.',
  },
  legacySignatures: {
    type: 'boolean',
    default: false,
    description:
      'Take the header "signature", which whoever sees it once can use again, for what outsiders read.',
  },
  publicUrl: {
    type: 'string',
    pattern: '^(?:none|https?://[a-zA-Z0-9.-]+(?::[0-9]{1,5})?)$',
    default: 'none',
    description:
      'Where a proxy on this machine shows the gateway to outsiders, as https://agents.example.org.',
  },
  keyRotationDays: {
    type: 'integer',
    minimum: 1,
    maximum: 36500,
    default: 90,
    description: 'How old the key may get with which the daemon seals what it keeps of artifacts.',
  },
  diskWarnPercent: {
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 80,
    description: 'Warn when the disk under the home folder is this full.',
  },
  diskAlertPercent: {
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 90,
    description: 'Alert when the disk under the home folder is this full.',
  },
  toolSeconds: {
    type: 'integer',
    minimum: 1,
    maximum: 3600,
    default: 120,
    description: 'How long one call of a tool may take.',
  },
  approvalHours: {
    type: 'integer',
    minimum: 1,
    maximum: 8760,
    default: 24,
    description: 'How long a call waits for a human to approve it.',
  },
  defaultModel: {
    type: 'string',
    pattern: '^(?:none|[a-z][a-z0-9-]*:[!-~]+)$',
    default: 'none',
    description: 'The model of agents that name none, such as anthropic:claude-sonnet-4-5.',
  },
  modelEndpoints: {
    type: 'string',
    pattern: '^(?:none|[a-z][a-z0-9-]*=https?://[!-~]+(?: [a-z][a-z0-9-]*=https?://[!-~]+)*)$',
    default: 'ollama=http://127.0.0.1:11434/v1 llamacpp=http://127.0.0.1:8080/v1',
    description:
      'Endpoints that speak as OpenAI does, NAME=URL, with spaces between; their models are NAME:MODEL.',
  },
  anthropicUrl: {
    type: 'string',
    pattern: '^https?://[!-~]+$',
    default: 'https://api.anthropic.com/v1',
    description: 'Where the models of Anthropic are asked.',
  },
  openaiUrl: {
    type: 'string',
    pattern: '^https?://[!-~]+$',
    default: 'https://api.openai.com/v1',
    description: 'Where the models of OpenAI are asked.',
  },
  modelPrices: {
    type: 'string',
    pattern: '^(?:none|[!-~]+=[0-9.]+/[0-9.]+(?: [!-~]+=[0-9.]+/[0-9.]+)*)$',
    default:
      'anthropic:claude-opus-4-5=5/25 anthropic:claude-sonnet-4-5=3/15 anthropic:claude-haiku-4-5=1/5 openai:gpt-5=1.25/10 openai:gpt-5-mini=0.25/2 ollama:*=0/0 llamacpp:*=0/0',
    description:
      'What a million tokens cost in dollars, MODEL=IN/OUT, with spaces between. Prices change: look at yours.',
  },
  modelSlots: {
    type: 'integer',
    minimum: 0,
    maximum: 1000,
    default: 0,
    description: 'How many model agents work at once; 0 for four times the processors.',
  },
  programSlots: {
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    default: 8,
    description: 'How many programs run as agents at once.',
  },
  sandboxMegabytes: {
    type: 'integer',
    minimum: 16,
    maximum: 1_048_576,
    default: 512,
    description: 'How much memory all processes of one shell.execute may use together.',
  },
  sandboxProcesses: {
    type: 'integer',
    minimum: 4,
    maximum: 100_000,
    default: 64,
    description: 'How many processes and threads one shell.execute may have at once.',
  },
  sandboxCpuPercent: {
    type: 'integer',
    minimum: 1,
    maximum: 100_000,
    default: 100,
    description: 'How much processor time one shell.execute may use; 100 is one core.',
  },
  sandboxesReady: {
    type: 'integer',
    minimum: 0,
    maximum: 64,
    default: 8,
    description: 'How many sandboxes wait for a call, for all agents that have just made one.',
  },
  workspaceMegabytes: {
    type: 'integer',
    minimum: 1,
    maximum: 1_048_576,
    default: 1024,
    description: 'How much the workspace of an agent may hold.',
  },
  workspaceFiles: {
    type: 'integer',
    minimum: 10,
    maximum: 10_000_000,
    default: 200_000,
    description: 'How many files and folders the workspace of an agent may have.',
  },
  programMegabytes: {
    type: 'integer',
    minimum: 128,
    maximum: 1_048_576,
    default: 4096,
    description: 'How much memory the program of an agent may use, with all that it starts.',
  },
  programProcesses: {
    type: 'integer',
    minimum: 32,
    maximum: 100_000,
    default: 1024,
    description: 'How many processes and threads the program of an agent may have at once.',
  },
  programCpuPercent: {
    type: 'integer',
    minimum: 1,
    maximum: 100_000,
    default: 400,
    description: 'How much processor time the program of an agent may use; 100 is one core.',
  },
  approvalWebhook: {
    type: 'string',
    pattern: '^(?:none|https?://[!-~]+)$',
    default: 'none',
    description: 'An address to which a request is sent when somebody waits for an approval.',
  },
} as const satisfies Record<string, SettingSchema>;

export type SettingName = keyof typeof settingsTable;

interface ValueTypes {
  readonly string: string;
  readonly integer: number;
  readonly boolean: boolean;
}

export type Settings = {
  readonly [Name in SettingName]: ValueTypes[(typeof settingsTable)[Name]['type']];
};

/** Every setting as it is when it is not set. */
export const defaultSettings: Settings = {
  home: settingsTable.home.default,
  port: settingsTable.port.default,
  auditDays: settingsTable.auditDays.default,
  archiveDays: settingsTable.archiveDays.default,
  messageDays: settingsTable.messageDays.default,
  requestSeconds: settingsTable.requestSeconds.default,
  messagesPerSecond: settingsTable.messagesPerSecond.default,
  messageBurst: settingsTable.messageBurst.default,
  mailboxMessages: settingsTable.mailboxMessages.default,
  mailboxMegabytes: settingsTable.mailboxMegabytes.default,
  transferDays: settingsTable.transferDays.default,
  transferQuotaMegabytes: settingsTable.transferQuotaMegabytes.default,
  operationSeconds: settingsTable.operationSeconds.default,
  operationMegabytes: settingsTable.operationMegabytes.default,
  artifactDays: settingsTable.artifactDays.default,
  artifactPhase: settingsTable.artifactPhase.default,
  filesRoot: settingsTable.filesRoot.default,
  trashFolder: settingsTable.trashFolder.default,
  filePlanDays: settingsTable.filePlanDays.default,
  memoryTokens: settingsTable.memoryTokens.default,
  memoryEmbedder: settingsTable.memoryEmbedder.default,
  memoryEmbedderUrl: settingsTable.memoryEmbedderUrl.default,
  memoryEmbedderModel: settingsTable.memoryEmbedderModel.default,
  memoryEmbedderSecret: settingsTable.memoryEmbedderSecret.default,
  legacySignatures: settingsTable.legacySignatures.default,
  publicUrl: settingsTable.publicUrl.default,
  keyRotationDays: settingsTable.keyRotationDays.default,
  diskWarnPercent: settingsTable.diskWarnPercent.default,
  diskAlertPercent: settingsTable.diskAlertPercent.default,
  toolSeconds: settingsTable.toolSeconds.default,
  approvalHours: settingsTable.approvalHours.default,
  approvalWebhook: settingsTable.approvalWebhook.default,
  defaultModel: settingsTable.defaultModel.default,
  modelEndpoints: settingsTable.modelEndpoints.default,
  anthropicUrl: settingsTable.anthropicUrl.default,
  openaiUrl: settingsTable.openaiUrl.default,
  modelPrices: settingsTable.modelPrices.default,
  modelSlots: settingsTable.modelSlots.default,
  programSlots: settingsTable.programSlots.default,
  sandboxMegabytes: settingsTable.sandboxMegabytes.default,
  sandboxProcesses: settingsTable.sandboxProcesses.default,
  sandboxCpuPercent: settingsTable.sandboxCpuPercent.default,
  sandboxesReady: settingsTable.sandboxesReady.default,
  workspaceMegabytes: settingsTable.workspaceMegabytes.default,
  workspaceFiles: settingsTable.workspaceFiles.default,
  programMegabytes: settingsTable.programMegabytes.default,
  programProcesses: settingsTable.programProcesses.default,
  programCpuPercent: settingsTable.programCpuPercent.default,
};

export const settingNames: readonly SettingName[] =
  Object.keys(settingsTable).filter(isSettingName);

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settingsTable, name);
}

/** `diskWarnPercent` is set by `AOS_DISK_WARN_PERCENT`. */
export function variableOf(name: SettingName): string {
  return `AOS_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Is this a value that the setting may have? */
export function fits(name: SettingName, value: unknown): boolean {
  const schema: SettingSchema = settingsTable[name];
  switch (schema.type) {
    case 'string':
      return (
        isText(value) && (schema.pattern === undefined || new RegExp(schema.pattern).test(value))
      );
    case 'integer':
      return isWhole(value) && value >= schema.minimum && value <= schema.maximum;
    case 'boolean':
      return typeof value === 'boolean';
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !value.includes('\0');
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** What a good value is, to follow "must be". */
export function wantsOf(name: SettingName): string {
  const schema: SettingSchema = settingsTable[name];
  switch (schema.type) {
    case 'string':
      return schema.pattern === undefined ? 'a text' : `a text that fits ${schema.pattern}`;
    case 'integer':
      return `a whole number from ${schema.minimum} to ${schema.maximum}`;
    case 'boolean':
      return 'true or false';
  }
}

/** The JSON Schema of config.json; `home` is not in it, because the file lies there. */
export function configFileSchema(): Record<string, unknown> {
  const { home: _, ...properties } = settingsTable;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Agent OS config.json',
    type: 'object',
    properties: { $schema: { type: 'string' }, ...properties },
    additionalProperties: false,
  };
}
