/** The tools of a home, what may be done with them, and the one door to them. */
import type { FileAgent } from '../../files/open-file-agent.ts';
import type { MemoryManager } from '../../memory/memory-manager.ts';
import type { Operations } from '../../operations/operations.ts';
import type { RunningRelay } from '../../relay/open-relay.ts';
import { sendNote } from '../../relay/tell.ts';
import type { AgentRuntime } from '../../runtime/runtime.ts';
import { CapabilityManager } from '../../security/grants/capability-manager.ts';
import type { Secrets } from '../../security/secrets/secrets.ts';
import {
  type AgentToolDeps,
  agentList,
  agentSpawn,
  agentTerminate,
} from '../../toolbox/agent/tools.ts';
import { artifactCreate } from '../../toolbox/artifact/create.ts';
import { fileRead } from '../../toolbox/file/read.ts';
import { fileWrite } from '../../toolbox/file/write.ts';
import { filesTools } from '../../toolbox/files/tools.ts';
import { httpFetch } from '../../toolbox/http/fetch.ts';
import { memoryTools } from '../../toolbox/memory/tools.ts';
import { messageInbox, messageRequest, messageSend } from '../../toolbox/message/tools.ts';
import { shellExecute } from '../../toolbox/shell/execute.ts';
import { toolList } from '../../toolbox/tool/list.ts';
import { transferTools } from '../../toolbox/transfer/tools.ts';
import { ToolCalls } from '../../tools/call.ts';
import { type CallDeps, defaultCallLimits } from '../../tools/deps.ts';
import { ToolRegistry } from '../../tools/registry.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Transfers } from '../../transfer/transfers.ts';
import type { Settings } from '../config/settings.ts';
import type { Engines } from './compose.ts';
import type { OpenHome } from './open-home.ts';
import type { HomeSandboxes } from './sandboxes.ts';

export interface HomeTools extends AsyncDisposable {
  readonly capabilities: CapabilityManager;
  readonly tools: ToolRegistry;
  readonly calls: ToolCalls;
}

export interface HomeToolsOptions {
  readonly open: Pick<OpenHome, 'ledger' | 'grants' | 'secrets'>;
  readonly log: CallDeps['log'];
  readonly relay: RunningRelay;
}

/** The door, and a registry without tools: registerTools() follows once what they use is there. */
export function openHomeTools(
  engines: Engines,
  settings: Pick<Settings, 'toolSeconds' | 'approvalHours'>,
  { open, log, relay }: HomeToolsOptions,
): HomeTools {
  const { ledger, grants, secrets } = open;
  const tools = new ToolRegistry();
  const calls = new ToolCalls({
    ...engines,
    ...{ ledger, grants, log, scrubber: secrets.scrubber },
    limits: {
      ...defaultCallLimits,
      deadlineMs: settings.toolSeconds * 1000,
      approvalMs: settings.approvalHours * 3_600_000,
    },
    tool: (name) => tools.get(name),
    notify: (note) => sendNote(relay, note),
  });
  tools.joinTo(calls);
  return {
    capabilities: new CapabilityManager({ ...engines, ledger, grants }),
    ...{ tools, calls },
    [Symbol.asyncDispose]: () => calls[Symbol.asyncDispose](),
  };
}

export interface RegisterToolsOptions {
  readonly open: Pick<OpenHome, 'realHome' | 'ledger' | 'secrets'>;
  readonly tools: Pick<HomeTools, 'tools'>;
  readonly relay: RunningRelay;
  readonly sandboxes: HomeSandboxes;
  readonly memory: MemoryManager;
  /** Undefined where no file agent runs. */
  readonly files?: FileAgent | undefined;
  /** Undefined where nothing is sent. */
  readonly transfers?: Transfers | undefined;
  /** Undefined where no agent runs. */
  readonly runtime?: AgentRuntime | undefined;
  readonly operations?: Operations | undefined;
}

export function registerTools(
  engines: Engines,
  { defaultModel }: Pick<Settings, 'defaultModel'>,
  { open, tools: { tools }, runtime, operations, ...uses }: RegisterToolsOptions,
): void {
  const { realHome: home, ledger, secrets } = open;
  const { relay, sandboxes, memory, files, transfers } = uses;
  const parts: ToolParts = {
    ...engines,
    ...{ ledger, home, relay, secrets, tools, defaultModel, sandboxes, memory, transfers, files },
    runtime: () => runtime,
    operations: () => operations,
  };
  for (const tool of builtIn(parts)) tools.register(tool);
}

interface ToolParts extends Engines, AgentToolDeps {
  readonly home: string;
  readonly relay: RunningRelay;
  readonly secrets: Secrets;
  readonly tools: ToolRegistry;
  readonly sandboxes: HomeSandboxes;
  readonly memory: MemoryManager;
  readonly files: FileAgent | undefined;
  readonly transfers: Transfers | undefined;
  readonly operations: () => Operations | undefined;
}

function builtIn(parts: ToolParts): readonly Tool[] {
  const { tools, sandboxes, transfers, files } = parts;
  return [
    httpFetch({ ...parts, files: parts }),
    ...(files === undefined ? [] : filesTools(files)),
    fileRead(parts),
    fileWrite(parts),
    messageSend(parts),
    messageInbox(parts),
    messageRequest(parts),
    ...memoryTools(parts),
    agentSpawn(parts),
    agentList(parts),
    agentTerminate(parts),
    shellExecute({ ...parts, ...sandboxes, limits: sandboxes.callLimits }),
    artifactCreate(parts),
    ...(transfers === undefined ? [] : transferTools({ ...parts, transfers })),
    toolList({ tools: () => tools.list() }),
  ];
}
