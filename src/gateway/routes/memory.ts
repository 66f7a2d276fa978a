import type { Answer } from '../contract/contract.ts';
import type { Handles, RouteDeps } from './handlers.ts';
import { type DoorCall, throughDoor } from './views/memory-door.ts';

type AsTheTool =
  | 'storeMemory'
  | 'getMemory'
  | 'searchMemory'
  | 'pinMemory'
  | 'forgetMemory'
  | 'shareMemory'
  | 'unshareMemory';
type AsItems = 'listMemories' | 'memoryHistory' | 'memoryShares';

/** Memories, each request a call of a tool. */
export function memoryRoutes(deps: RouteDeps): Handles<AsTheTool | AsItems> {
  return {
    storeMemory: (call) => throughDoor(deps, 'memory.store', call),
    getMemory: (call) => throughDoor(deps, 'memory.get', call),
    searchMemory: (call) => throughDoor(deps, 'memory.search', call),
    pinMemory: (call) => throughDoor(deps, 'memory.pin', call),
    forgetMemory: (call) => throughDoor(deps, 'memory.forget', call),
    shareMemory: (call) => throughDoor(deps, 'memory.share', call),
    unshareMemory: (call) => throughDoor(deps, 'memory.unshare', call),
    listMemories: (call) => list(deps, call),
    memoryHistory: (call) => history(deps, call),
    memoryShares: (call) => shares(deps, call),
  };
}

// Each tool names what it lists; on the wire every list has items.

async function list(deps: RouteDeps, call: DoorCall): Promise<Answer<'listMemories'>> {
  const { memories, next } = await throughDoor<Listed>(deps, 'memory.list', call);
  return { items: memories, next };
}

interface Listed {
  readonly memories: Answer<'listMemories'>['items'];
  readonly next: string | null;
}

async function history(deps: RouteDeps, call: DoorCall): Promise<Answer<'memoryHistory'>> {
  const { versions, next } = await throughDoor<Versions>(deps, 'memory.history', call);
  return { items: versions, next };
}

interface Versions {
  readonly versions: Answer<'memoryHistory'>['items'];
  readonly next: number | null;
}

async function shares(deps: RouteDeps, call: DoorCall): Promise<Answer<'memoryShares'>> {
  const { shares: items } = await throughDoor<Shares>(deps, 'memory.shares', call);
  return { items };
}

interface Shares {
  readonly shares: Answer<'memoryShares'>['items'];
}
