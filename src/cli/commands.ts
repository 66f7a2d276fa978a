import { defineApprovals } from './approvals.ts';
import { defineAudit } from './audit.ts';
import { defineBackup } from './backup.ts';
import { defineCap } from './cap.ts';
import { defineChannel } from './channel.ts';
import { defineComplete } from './complete.ts';
import { defineCompletion } from './completion.ts';
import { defineConfig } from './config.ts';
import type { Define } from './context.ts';
import { defineDoctor } from './doctor.ts';
import { defineDown } from './down.ts';
import { defineDu } from './du.ts';
import { defineGc } from './gc.ts';
import { defineInbox } from './inbox.ts';
import { defineLead } from './lead.ts';
import { defineRegister } from './register.ts';
import { defineRequest } from './request.ts';
import { defineResolve } from './resolve.ts';
import { defineRestore } from './restore.ts';
import { defineSecret } from './secret.ts';
import { defineSend } from './send.ts';
import { defineAck, defineNack } from './settle.ts';
import { defineStatus } from './status.ts';
import { defineTool } from './tool.ts';
import { defineUp } from './up.ts';
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
    name: 'register',
    summary: 'make an agent that lives elsewhere known, and give it a handle',
    define: defineRegister,
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
