import { expect, test } from 'vitest';
import { isLoopbackAddress } from '../kernel/capability/host-text.ts';
import { realResolver } from './resolver.ts';

test('resolve() gives every address of this machine for localhost', async () => {
  const addresses = await realResolver.resolve('localhost');

  expect(addresses.length).toBeGreaterThan(0);
  expect(addresses.every(isLoopbackAddress)).toBe(true);
});

test('resolve() says in words that there is no such host', async () => {
  // A label of 64 letters is refused before anybody is asked.
  const attempt = realResolver.resolve(`${'a'.repeat(64)}.invalid`);

  await expect(attempt).rejects.toMatchObject({
    code: 'http.unreachable',
    message: expect.not.stringMatching(/ENOTFOUND|EAI|getaddrinfo/),
  });
});
