import { expect, test } from 'vitest';
import { SimulatedCrash, SimulatedDisk } from '../../../tests/sim/disk.ts';
import { seededRandom } from '../../../tests/sim/random.ts';
import { loadOrCreateSecretKey, loadSecretKey } from './secret-key.ts';

test('a key that was handed out is there after every power cut', async () => {
  for (let seed = 0; seed < 5; seed++) {
    let outcome = 'crashed';
    for (let call = 1; outcome === 'crashed'; call++) {
      const disk = new SimulatedDisk({ seed });
      await disk.makeFolder('/keys');
      await disk.syncFolder('/');
      disk.crashAtCall(disk.calls + call);
      const first = await loadOrCreateSecretKey({ disk, random: seededRandom('first') }, '/').catch(
        (thrown: unknown) => {
          if (thrown instanceof SimulatedCrash) return undefined;
          throw thrown;
        },
      );
      outcome = first === undefined ? 'crashed' : 'made';
      if (first !== undefined) disk.crash();
      disk.restart();

      const adopted = await loadOrCreateSecretKey({ disk, random: seededRandom('second') }, '/');
      disk.crash();
      disk.restart();

      if (first !== undefined) expect(adopted).toEqual(first);
      expect(await loadSecretKey(disk, '/')).toEqual(adopted);
    }
  }
});

test('two that make the key at once get the same one', async () => {
  const disk = new SimulatedDisk({ seed: 1 });
  await disk.makeFolder('/keys');

  const [one, other] = await Promise.all(
    ['one', 'other'].map((seed) =>
      loadOrCreateSecretKey({ disk, random: seededRandom(seed) }, '/'),
    ),
  );

  expect(one).toEqual(other);
  expect(await disk.list('/keys')).toEqual(['secrets.key']);
});
