import { expect, test } from 'vitest';
import { keepCompiled } from '../../../tests/support/keep-compiled.ts';
import { memoryIndexWorld } from '../../../tests/support/memory-index-world.ts';
import { memoryOf } from '../../../tests/support/memory-shelf.ts';
import { isFull } from '../../../tests/support/tier.ts';

keepCompiled();

test('once it has forgotten, nothing of what was removed is in any byte of its files', async () => {
  await using world = memoryIndexWorld();
  const canaries = ['zqtextzq', 'zqkeyzq', 'zqtagzq', 'zqthreadzq', 'zqspeakerzq', 'zqownerzq'];
  const [text, key, tag, thread, speaker, owner] = canaries;
  await world.remember(...Array.from({ length: 500 }, (_, index) => `plain number${index}`));
  const secret = {
    text: `${speaker}: ${text} ${text}, says ${text}`,
    ...{ key: `notes/${key}`, tags: [`${tag}`], thread: `${thread}`, owner: `agent:${owner}` },
  };
  const ids = await world.remember(secret, { ...secret, thread: undefined });
  await world.index.putVectors({ id: 'e', dimensions: 2 }, [
    { id: ids[0] ?? 0, vector: Float32Array.of(0.6, 0.8) },
  ]);
  expect(canaries.filter((canary) => world.raw().includes(canary))).toEqual(canaries);

  await world.remove(...ids);
  await world.index.forget();

  expect(canaries.filter((canary) => world.raw().includes(canary))).toEqual([]);
  expect(await world.index.counts()).toMatchObject({ memories: 500, vectors: 0 });
  expect(await world.found('number77')).toHaveLength(1);
});

test('a version that another one takes the place of is forgotten in the same way', async () => {
  await using world = memoryIndexWorld();
  const [id = 0] = await world.remember('the word is zqoldzq');
  const memory = memoryOf(id, { text: 'the word is new' });
  await world.index.apply([{ id, memory }], { seq: 2, event: 0, eventHash: '' });

  await world.index.forget();

  expect(world.raw().includes('zqoldzq')).toBe(false);
  expect(await world.found('word')).toEqual([id]);
});

test('words that stood close together leave no signpost of those that are gone', async () => {
  await using world = memoryIndexWorld();
  const word = (index: number) => `zqcanaryzq${String((index * 7919) % 100_003).padStart(6, '0')}`;
  const ids = await world.remember(
    ...Array.from({ length: isFull ? 8000 : 2500 }, (_, index) => word(index)),
  );
  const gone = ids.filter((id) => id % 2 === 0);
  await world.remove(...gone);

  await world.index.forget();

  const raw = world.raw().toString('latin1');
  expect(gone.filter((id) => raw.includes(word(id - 1)))).toEqual([]);
  expect(await world.found(word(0))).toEqual([1]);
});
