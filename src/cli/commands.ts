import { defineApprovals } from './approvals.ts';
import { defineAudit } from './audit.ts';
import { defineBackup } from './backup.ts';
import { defineBlobs } from './blobs.ts';
import { defineCancel } from './cancel.ts';
import { defineCap } from './cap.ts';
import { defineChannel } from './channel.ts';
import { defineComplete } from './complete.ts';
import { defineCompletion } from './completion.ts';
import { defineConfig } from './config.ts';
import type { Define } from './context.ts';
import { defineDemo } from './demo.ts';
import { defineDoctor } from './doctor.ts';
import { defineDown } from './down.ts';
import { defineDu } from './du.ts';
import { defineFiles } from './files.ts';
import { defineGc } from './gc.ts';
import { defineInbox } from './inbox.ts';
import { defineInspect } from './inspect.ts';
import { defineKeys } from './keys.ts';
import { defineKill } from './kill.ts';
import { defineLead } from './lead.ts';
import { defineLogs } from './logs.ts';
import { defineMemory } from './memory.ts';
import { defineOp } from './op.ts';
import { definePause, defineResume } from './pause.ts';
import { definePrioritize } from './prioritize.ts';
import { definePs } from './ps.ts';
import { defineQueue } from './queue.ts';
import { defineRegister } from './register.ts';
import { defineRequest } from './request.ts';
import { defineResolve } from './resolve.ts';
import { defineRestore } from './restore.ts';
import { defineRetry } from './retry.ts';
import { defineRun } from './run.ts';
import { defineSecret } from './secret.ts';
import { defineSend } from './send.ts';
import { defineAck, defineNack } from './settle.ts';
import { defineSpawn } from './spawn.ts';
import { defineStatus } from './status.ts';
import { defineTool } from './tool.ts';
import { defineTop } from './top.ts';
import { defineTransfer } from './transfer.ts';
import { defineUp } from './up.ts';
import { defineWait } from './wait.ts';
import { defineWhy } from './why.ts';

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly hidden?: true;
  /** Called only when the command is named: the others cost nothing but their place in the file. */
  readonly define: Define;
}

/** Every command, in the order in which `aos --help` lists them. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'up',
    summary: 'start the daemon',
    define: defineUp,
  },
  {
    name: 'down',
    summary: 'stop the daemon',
    define: defineDown,
  },
  {
    name: 'status',
    summary: 'say whether the daemon runs, and how it is',
    define: defineStatus,
  },
  {
    name: 'demo',
    summary: 'let a small team work for you to watch, without a key',
    define: defineDemo,
  },
  {
    name: 'register',
    summary: 'make an agent that lives elsewhere known, and give it a handle',
    define: defineRegister,
  },
  {
    name: 'spawn',
    summary: 'make an agent that lives here, on a model or as a program',
    define: defineSpawn,
  },
  {
    name: 'ps',
    summary: 'list the agents, how they are and what they have used',
    define: definePs,
  },
  {
    name: 'inspect',
    summary: 'tell all about an agent, a goal or a call',
    define: defineInspect,
  },
  {
    name: 'pause',
    summary: 'let an agent stop where it is',
    define: definePause,
  },
  {
    name: 'resume',
    summary: 'let an agent go on that was paused',
    define: defineResume,
  },
  {
    name: 'kill',
    summary: 'end an agent, with all that it does and has spawned',
    define: defineKill,
  },
  {
    name: 'wait',
    summary: 'wait until an agent or a goal is in a state',
    define: defineWait,
  },
  {
    name: 'run',
    summary: 'submit a goal, follow what is done for it, and print the answer',
    define: defineRun,
  },
  {
    name: 'queue',
    summary: 'list the goals that are not over',
    define: defineQueue,
  },
  {
    name: 'prioritize',
    summary: 'change which goal comes first',
    define: definePrioritize,
  },
  {
    name: 'cancel',
    summary: 'take a goal back',
    define: defineCancel,
  },
  {
    name: 'retry',
    summary: 'go on from a step of a goal, as a new one',
    define: defineRetry,
  },
  {
    name: 'top',
    summary: 'show what is going on, every second',
    define: defineTop,
  },
  {
    name: 'logs',
    summary: "show the daemon's log, or what an agent's program writes",
    define: defineLogs,
  },
  {
    name: 'send',
    summary: 'send a message to an agent, to a channel or to all',
    define: defineSend,
  },
  {
    name: 'inbox',
    summary: 'show messages that have not been read yet',
    define: defineInbox,
  },
  {
    name: 'ack',
    summary: 'say that what a message asked for is done',
    define: defineAck,
  },
  {
    name: 'nack',
    summary: 'say that what a message asked for will not be done',
    define: defineNack,
  },
  {
    name: 'why',
    summary: 'tell the whole path of a message',
    define: defineWhy,
  },
  {
    name: 'request',
    summary: 'ask somebody and wait for the response',
    define: defineRequest,
  },
  {
    name: 'transfer',
    summary: 'send files and folders to agents, and fetch what they send',
    define: defineTransfer,
  },
  {
    name: 'files',
    summary: 'find, move, rename, copy and delete files, by a sentence or by an action',
    define: defineFiles,
  },
  {
    name: 'memory',
    summary: 'store, find, share and erase what agents remember',
    define: defineMemory,
  },
  {
    name: 'op',
    summary: 'submit operations, and fetch the artifacts that come of them',
    define: defineOp,
  },
  {
    name: 'channel',
    summary: 'let agents join channels, and list them',
    define: defineChannel,
  },
  {
    name: 'lead',
    summary: 'say whom messages to "Lead" reach',
    define: defineLead,
  },
  {
    name: 'cap',
    summary: 'say what agents may do: grant, delegate, revoke, list and check',
    define: defineCap,
  },
  {
    name: 'tool',
    summary: 'list the tools, call them, and look at what was called',
    define: defineTool,
  },
  {
    name: 'approvals',
    summary: 'show what waits for a human, and answer it',
    define: defineApprovals,
  },
  {
    name: 'resolve',
    summary: 'say what became of a call that was cut off',
    define: defineResolve,
  },
  {
    name: 'secret',
    summary: 'keep values that tools may use and no agent may see',
    define: defineSecret,
  },
  {
    name: 'keys',
    summary: 'give the daemon a new key for what it seals',
    define: defineKeys,
  },
  {
    name: 'audit',
    summary: 'show what happened, and check that nobody changed it',
    define: defineAudit,
  },
  {
    name: 'backup',
    summary: 'copy the ledger and the settings into one file',
    define: defineBackup,
  },
  {
    name: 'restore',
    summary: 'put a backup back',
    define: defineRestore,
  },
  {
    name: 'du',
    summary: 'say what takes room in the home folder',
    define: defineDu,
  },
  {
    name: 'gc',
    summary: 'remove what nobody needs any more',
    define: defineGc,
  },
  {
    name: 'blobs',
    summary: 'check that every stored byte is as it was stored',
    define: defineBlobs,
  },
  {
    name: 'doctor',
    summary: 'check that this machine can run agents, and say what to mend',
    define: defineDoctor,
  },
  {
    name: 'config',
    summary: 'show the settings in force, where they come from, and what there is to set',
    define: defineConfig,
  },
  {
    name: 'completion',
    summary: 'print a script that lets your shell complete aos commands',
    define: defineCompletion,
  },
  {
    name: '__complete',
    summary: 'print what may follow the words typed so far',
    hidden: true,
    define: defineComplete,
  },
];
