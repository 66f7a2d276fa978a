import { expect, test } from 'vitest';
import { boundedFetch } from './retry.ts';

const megabyte = new Uint8Array(1024 * 1024);

/** Answers with that many megabytes. */
function answering(status: number, megabytes: number): typeof fetch {
  return async () => {
    let left = megabytes;
    const body = new ReadableStream({
      pull(controller) {
        if (left-- > 0) controller.enqueue(megabyte);
        else controller.close();
      },
    });
    return new Response(body, { status });
  };
}

test('of an error only the beginning is read', async () => {
  const response = await boundedFetch(answering(500, 1000))('http://127.0.0.1');

  expect((await response.arrayBuffer()).byteLength).toBe(64 * 1024);
});

test('an answer without an end is given up', async () => {
  const response = await boundedFetch(answering(200, 1000))('http://127.0.0.1');

  await expect(response.arrayBuffer()).rejects.toThrow('too long');
});

test('an answer of a usual size comes whole, with its status and headers', async () => {
  const plain: typeof fetch = async () =>
    new Response('hello', { status: 201, headers: { 'x-a': 'b' } });

  const response = await boundedFetch(plain)('http://127.0.0.1');

  expect(response.status).toBe(201);
  expect(response.headers.get('x-a')).toBe('b');
  expect(await response.text()).toBe('hello');
});
