/** The four methods that seed 002 names. */
import { expect, test } from 'vitest';
import { day, once, temporaryOperations } from '../../tests/support/temporary-operations.ts';
import { artifactLimits } from '../kernel/agent/operation.ts';
import { ArtifactStorageService } from './artifact-storage.ts';

const artifact = (name: string, text = name) => ({ name, content: once(Buffer.from(text)) });

test('what is stored is listed, downloaded and opened by its grantee, until it expires', async () => {
  await using world = await temporaryOperations();
  const service = new ArtifactStorageService(world.deps);
  const alice = await world.outsider();
  const row = await world.begin(alice);
  const { id } = row;
  const end = world.clock.now() + 3 * day;

  const stored = await service.storeArtifacts(
    id,
    [artifact('a.txt', 'first'), artifact('b/c.json', '{}')],
    alice.address.toLowerCase(),
    end,
  );
  const metadata = await service.getArtifactMetadata(id, alice.address);
  const bytes = await Array.fromAsync(await service.downloadArtifact(id, 'a.txt', alice.address));
  const first = metadata.artifacts.find(({ name }) => name === 'a.txt');
  const key = first?.encryption_key_encrypted ?? '';
  const plain = alice.open({ bytes: Buffer.concat(bytes), key, id: first?.id ?? '' });

  expect(stored).toEqual(metadata);
  expect(metadata).toMatchObject({ count: 2, total_size: 7 });
  expect(metadata.artifacts.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toMatchObject([
    { name: 'a.txt', size: 5, content_type: 'text/plain', e2e: true },
    { name: 'b/c.json', size: 2, content_type: 'application/json', e2e: true },
  ]);
  expect(first?.expires_at).toBe(new Date(end).toISOString());
  expect(plain.toString()).toBe('first');
  expect(await service.cleanupExpiredArtifacts()).toBe(0);
  await world.clock.advance(3 * day);
  expect(await service.cleanupExpiredArtifacts()).toBe(2);
  expect(await service.getArtifactMetadata(id, alice.address)).toMatchObject({ count: 0 });
  await expect(service.downloadArtifact(id, 'a.txt', alice.address)).rejects.toMatchObject({
    code: 'artifact.expired',
  });
});

test('nothing is stored for, listed for or handed to somebody else, or nobody', async () => {
  await using world = await temporaryOperations();
  const service = new ArtifactStorageService(world.deps);
  const [alice, bob] = [await world.outsider(), await world.outsider()];
  const { id } = await world.begin(alice);
  const end = world.clock.now() + day;
  await service.storeArtifacts(id, [artifact('a.txt')], alice.address, end);
  const broken = alice.address.replace(/[a-f]/, (letter) => letter.toUpperCase()).slice(0, -1);
  const codes = (address: string, operation = id) =>
    Promise.all(
      [
        service.storeArtifacts(operation, [artifact('b.txt')], address, end),
        service.getArtifactMetadata(operation, address),
        service.downloadArtifact(operation, 'a.txt', address),
      ].map((work: Promise<unknown>) => work.then(String, ({ code }) => code)),
    );

  expect(await codes(bob.address)).toEqual(Array(3).fill('operation.unknown'));
  expect(await codes(alice.address, 'missing')).toEqual(Array(3).fill('operation.unknown'));
  expect(await codes(broken)).toEqual(Array(3).fill('signature.bad'));
  expect(await service.getArtifactMetadata(id, alice.address)).toMatchObject({ count: 1 });
});

test('more than there may be are refused before the first is stored', async () => {
  await using world = await temporaryOperations();
  const service = new ArtifactStorageService(world.deps);
  const alice = await world.outsider();
  const { id } = await world.begin(alice);
  const many = Array.from({ length: artifactLimits.mostCount + 1 }, (_, n) => artifact(`${n}`));

  const storing = service.storeArtifacts(id, many, alice.address, world.clock.now() + day);

  await expect(storing).rejects.toMatchObject({ code: 'artifact.too-many' });
  expect(await service.getArtifactMetadata(id, alice.address)).toMatchObject({ count: 0 });
});
