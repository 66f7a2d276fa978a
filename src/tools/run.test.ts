import { expect, test } from 'vitest';
import type { OutputPart } from '../kernel/sandbox.ts';
import { Scrubber } from '../security/secrets/scrub.ts';
import { LiveOutput } from './run.ts';

function place() {
  const scrubber = new Scrubber();
  scrubber.add({ name: 'KEY', value: 'sk-0123456789abcdefghij', prefix: '' });
  const seen: string[] = [];
  const onPart = ({ stream, bytes }: OutputPart): void =>
    void seen.push(`${stream} ${Buffer.from(bytes).toString()}`);
  const live = new LiveOutput(scrubber, onPart);
  const show = (stream: OutputPart['stream'], text: string): void =>
    live.show({ stream, bytes: Buffer.from(text) });
  return { live, show, seen };
}

test('parts come in their order, each stream by itself', async () => {
  const { live, show, seen } = place();

  show('stdout', 'a\n');
  show('stderr', 'b\n');
  show('stdout', 'c\n');
  await live.end();

  expect(seen.filter((part) => part.startsWith('stdout')).join('')).toBe('stdout a\nstdout c\n');
  expect(seen).toContain('stderr b\n');
});

test('a secret is not shown, also when it comes in pieces', async () => {
  const { live, show, seen } = place();

  for (const piece of ['key: sk-01234', '56789abc', 'defghij\n', 'done\n']) show('stdout', piece);
  await live.end();

  const all = seen.map((part) => part.slice('stdout '.length)).join('');
  expect(all).toBe('key: [secret:KEY]\ndone\n');
});

test('an end without any part is an end', async () => {
  const { live, seen } = place();

  await live.end();

  expect(seen).toEqual([]);
});
