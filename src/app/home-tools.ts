/** The tools of a home, what may be done with them, and the one door to them. */
import { priorities } from '../kernel/message.ts';
import { relayParty } from '../relay/envelope.ts';
import type { RunningRelay } from '../relay/open-relay.ts';
import { CapabilityManager } from '../security/grants/capability-manager.ts';
import type { Secrets } from '../security/secrets/secrets.ts';
import { fileRead } from '../toolbox/file/read.ts';
import { fileWrite } from '../toolbox/file/write.ts';
import { httpFetch } from '../toolbox/http/fetch.ts';
import { memoryGet } from '../toolbox/memory/get.ts';
import { memoryStore } from '../toolbox/memory/store.ts';
import { messageInbox } from '../toolbox/message/inbox.ts';
import { messageRequest } from '../toolbox/message/request.ts';
import { messageSend } from '../toolbox/message/send.ts';
import { toolList } from '../toolbox/tool/list.ts';
import { ToolCalls } from '../tools/call.ts';
import { type CallDeps, defaultCallLimits, type Note } from '../tools/deps.ts';
import { ToolRegistry } from '../tools/registry.ts';
import type { Tool } from '../tools/tool.ts';
import type { Engines } from './compose.ts';
import type { OpenHome } from './open-home.ts';
import type { Settings } from './settings.ts';

export interface HomeTools extends AsyncDisposable {
  readonly capabilities: CapabilityManager;
  readonly tools: ToolRegistry;
  readonly calls: ToolCalls;
}

export interface HomeToolsOptions {
  readonly open: Pick<OpenHome, 'realHome' | 'ledger' | 'grants' | 'secrets'>;
  readonly log: CallDeps['log'];
  readonly relay: RunningRelay;
}

export function openHomeTools(
  engines: Engines,
  settings: Pick<Settings, 'toolSeconds' | 'approvalHours'>,
  { open, log, relay }: HomeToolsOptions,
): HomeTools {
  const { ledger, grants, secrets } = open;
  const tools = new ToolRegistry();
  const parts = { ...engines, ledger, home: open.realHome, relay, secrets, tools };
  for (const tool of builtIn(parts)) tools.register(tool);
  const calls = new ToolCalls({
    ...engines,
    ...{ ledger, grants, log, scrubber: secrets.scrubber },
    limits: {
      ...defaultCallLimits,
      deadlineMs: settings.toolSeconds * 1000,
      approvalMs: settings.approvalHours * 3_600_000,
    },
    tool: (name) => tools.get(name),
    notify: (note) => tell(relay, note),
  });
  tools.joinTo(calls);
  return {
    capabilities: new CapabilityManager({ ...engines, ledger, grants }),
    ...{ tools, calls },
    [Symbol.asyncDispose]: () => calls[Symbol.asyncDispose](),
  };
}

interface ToolParts extends Engines, Pick<OpenHome, 'ledger'> {
  readonly home: string;
  readonly relay: RunningRelay;
  readonly secrets: Secrets;
  readonly tools: ToolRegistry;
}

function builtIn(parts: ToolParts): readonly Tool[] {
  const { tools } = parts;
  return [
    httpFetch({ ...parts, files: parts }),
    fileRead(parts),
    fileWrite(parts),
    messageSend(parts),
    messageInbox(parts),
    messageRequest(parts),
    memoryGet(parts),
    memoryStore(parts),
    toolList({ tools: () => tools.list() }),
  ];
}

/** As the relay itself; what a restart tells once more arrives once. */
async function tell(relay: RunningRelay, { to, key, body }: Note): Promise<void> {
  const message = {
    to: to.replace(/^agent:/, ''),
    kind: 'message',
    priority: priorities.usual,
    attachments: [],
    headers: [],
    dedupKey: key,
    body,
  } as const;
  const [accepted] = await relay.accept([{ sender: relayParty, message }]);
  if (accepted?.kind === 'refused') throw accepted.error;
}
