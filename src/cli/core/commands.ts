/** All commands by name: what `aos --help` prints, and which file defines each. */
import { defineCancel } from '../agent/cancel.ts';
import { defineInspect } from '../agent/inspect.ts';
import { defineKill } from '../agent/kill.ts';
import { definePause, defineResume } from '../agent/pause.ts';
import { definePrioritize } from '../agent/prioritize.ts';
import { definePs } from '../agent/ps.ts';
import { defineQueue } from '../agent/queue.ts';
import { defineRegister } from '../agent/register.ts';
import { defineResolve } from '../agent/resolve.ts';
import { defineRetry } from '../agent/retry.ts';
import { defineRun } from '../agent/run.ts';
import { defineSpawn } from '../agent/spawn.ts';
import { defineWait } from '../agent/wait.ts';
import { defineBackup } from '../daemon/backup.ts';
import { defineBlobs } from '../daemon/blobs.ts';
import { defineComplete, defineCompletion } from '../daemon/completion.ts';
import { defineConfig } from '../daemon/config.ts';
import { defineDoctor } from '../daemon/doctor.ts';
import { defineDown } from '../daemon/down.ts';
import { defineDu } from '../daemon/du.ts';
import { defineGc } from '../daemon/gc.ts';
import { defineKeys } from '../daemon/keys.ts';
import { defineLogs } from '../daemon/logs.ts';
import { defineRestore } from '../daemon/restore.ts';
import { defineStatus } from '../daemon/status.ts';
import { defineTop } from '../daemon/top.ts';
import { defineUp } from '../daemon/up.ts';
import { defineDemo } from '../demo/demo.ts';
import { defineFiles } from '../files/files.ts';
import { defineMemory } from '../memory/memory.ts';
import { defineChannel } from '../message/channel.ts';
import { defineInbox } from '../message/inbox.ts';
import { defineLead } from '../message/lead.ts';
import { defineRequest } from '../message/request.ts';
import { defineSend } from '../message/send.ts';
import { defineAck, defineNack } from '../message/settle.ts';
import { defineWhy } from '../message/why.ts';
import { defineOp } from '../operation/op.ts';
import { defineApprovals } from '../security/approvals.ts';
import { defineAudit } from '../security/audit.ts';
import { defineCap } from '../security/cap.ts';
import { defineSecret } from '../security/secret.ts';
import { defineTool } from '../tool/tool.ts';
import { defineTransfer } from '../transfer/transfer.ts';
import type { Define } from './context.ts';

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
