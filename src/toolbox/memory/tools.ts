/** The tools `memory.*`. Erasing for good, exporting and importing are the owner's, and no tools. */
import type { Tool } from '../../tools/tool.ts';
import type { MemoryToolDeps } from './deps.ts';
import { memoryForget } from './forget.ts';
import { memoryGet } from './get.ts';
import { memoryHistory } from './history.ts';
import { memoryList } from './list.ts';
import { memoryPin } from './pin.ts';
import { memorySearch } from './search.ts';
import { memoryShare, memoryShares, memoryUnshare } from './share.ts';
import { memoryStore } from './store.ts';

export function memoryTools(deps: MemoryToolDeps): readonly Tool[] {
  return [
    ...[memoryGet(deps), memoryStore(deps), memorySearch(deps), memoryList(deps)],
    ...[memoryHistory(deps), memoryPin(deps), memoryForget(deps)],
    ...[memoryShare(deps), memoryUnshare(deps), memoryShares(deps)],
  ];
}
