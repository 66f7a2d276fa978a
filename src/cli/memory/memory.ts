/** `aos memory`: what agents remember. */
import type { Command } from 'commander';
import type { Context } from '../core/context.ts';
import { defineMemoryGet } from './get.ts';
import { defineMemoryList } from './list.ts';
import { defineMemoryMarks } from './marks.ts';
import { defineMemoryMoves } from './moves.ts';
import { defineMemoryPurge } from './purge.ts';
import { defineMemorySearch } from './search.ts';
import { defineMemoryShares } from './shares.ts';
import { defineMemoryState } from './state.ts';
import { defineMemoryStore } from './store.ts';

export function defineMemory(command: Command, context: Context): void {
  command.addHelpText('after', help);
  defineMemoryStore(command, context);
  defineMemoryGet(command, context);
  defineMemorySearch(command, context);
  defineMemoryList(command, context);
  defineMemoryMarks(command, context);
  defineMemoryPurge(command, context);
  defineMemoryShares(command, context);
  defineMemoryMoves(command, context);
  defineMemoryState(command, context);
}

const help = `
A memory is a value under a key such as projects/house/plan, in one of four scopes: context is of
one run, working of what is being done, long-term stays, shared is for many and its keys begin
with the name of a space. Every value that it has had is kept as a version.

--of AGENT is whose memory is meant (your own where it is not said). --as AGENT asks as that
agent, under its grants.

Examples:
  aos memory store house/door "The door is green." --scope long-term
  aos memory search "what colour is the door"
  aos memory get house/door --scope long-term --as-of 2026-05-01
  aos memory list --of jean --scope long-term
  aos memory purge house/ --scope long-term`;
