import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepCompiled } from '../../../tests/support/keep-compiled.ts';
import { indexQuery, jean } from '../../../tests/support/memory-shelf.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { realClock } from '../clock.ts';
import { openMemoryIndex } from './memory-index.ts';

keepCompiled();

const never = new AbortController().signal;
const perChange = 100;

/** Tells the index of a hundred memories at a time, for as long as it lives. */
function teller(file: string): ChildProcess {
  const script = `
    import { memoryWorks } from '${join(import.meta.dirname, 'memory-works.ts')}';
    const at = memoryWorks({ file: '${file}', kind: 'position' })?.seq ?? 0;
    const place = ${JSON.stringify({ owner: jean.owner, scope: jean.scope })};
    for (let seq = at + 1; ; seq++) {
      const changes = Array.from({ length: ${perChange} }, (_, index) => {
        const id = (seq - 1) * ${perChange} + index + 1;
        const text = 'batch' + seq + ' number' + index + ' of all';
        const key = 'notes/' + id;
        const memory = { ...place, id, key, text, tags: [], thread: 'talk', validFrom: 0 };
        return { id, memory };
      });
      const position = { seq, event: seq, eventHash: String(seq) };
      memoryWorks({ file: '${file}', kind: 'apply', changes, position });
    }`;
  const args = ['--input-type=module', '-e', script];
  return spawn(process.execPath, args, { stdio: 'ignore' });
}

test('killed at any moment it has all of a change or nothing of it, with how far it is', async () => {
  await using folder = temporaryFolder();
  const file = folder.at('search.db');
  const written = () => statSync(`${file}-wal`, { throwIfNoEntry: false })?.mtimeMs ?? 0;

  for (let round = 0; round < 8; round++) {
    const before = written();
    const child = teller(file);
    while (written() <= before && child.exitCode === null) await realClock.sleep(1);
    await realClock.sleep(round * 7);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');

    await using index = openMemoryIndex({ file, clock: realClock });
    const { seq = 0 } = (await index.position()) ?? {};
    expect(await index.counts()).toMatchObject({ memories: seq * perChange });
    const found = async (query: string) =>
      (await index.search(indexQuery({ query: `"${query}"`, limit: perChange }), never)).hits;
    expect(await found(`batch${seq + 1}`)).toEqual([]);
    if (seq > 0) expect(await found(`batch${seq}`)).not.toEqual([]);
  }
});
