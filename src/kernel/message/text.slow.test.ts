/** Whatever is thrown at the parsers: an answer or an AosError, soon, and the same twice. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isFull, runSeed } from '../../../tests/support/tier.ts';
import { AosError } from '../errors.ts';
import {
  checkChannel,
  type Header,
  knownHeaders,
  type Message,
  messageKinds,
  parseAddress,
  type StreamChunk,
} from './message.ts';
import { parseOrchestratorRequest } from './orchestrator-request.ts';
import { checkMessage, parseMessage, printMessage } from './text.ts';

const slowestMs = 50;

const bytesOf = (text: string) => new TextEncoder().encode(text);

function fuzz<Value>(cases: number, values: fc.Arbitrary<Value>, check: (value: Value) => void) {
  fc.assert(
    fc.property(values, (value) => checkSoon(() => check(value))),
    { numRuns: cases, seed: isFull ? 3 : runSeed },
  );
}

// In time of the processor: a machine that is busy may stop any test for a while. What is slow by
// itself is slow again; what swept up memory meanwhile is not.
function checkSoon(check: () => void): void {
  const tookMs = () => {
    const start = process.threadCpuUsage();
    check();
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1000;
  };
  const slow = tookMs() > slowestMs && tookMs() > slowestMs && tookMs() > slowestMs;
  expect(slow, `no case takes more than ${slowestMs} ms`).toBe(false);
}

/** What it answers; undefined where it refuses in words. */
function attempt<Answer>(act: () => Answer): Answer | undefined {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof AosError)) throw error;
    // The quoted values are the only part that can grow, and each is cut.
    if (error.message.length > 1500 || error.fix === undefined) throw new Error(error.message);
    return undefined;
  }
}

function checkText(bytes: Uint8Array): void {
  const message = attempt(() => parseMessage(bytes));
  if (message === undefined) return;
  checkMessage(message);
  expect(parseMessage(bytesOf(printMessage(message)))).toEqual(message);
}

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const anyText = fc.string({ unit: 'binary', maxLength: 30 });
const instants = fc.date({ min: new Date(0), max: new Date('2999-12-31'), noInvalidDate: true });
const agentNames = fc.constantFrom('jean', 'samantha', 'worker-1', 'Lead', 'n'.repeat(63));
const addresses = fc.oneof(agentNames, fc.constantFrom('*', '#news', 'owner', '__orchestrator__'));
const words = fc.constantFrom('a', 'thread 7', 'é🙂', '0', id(), 'x'.repeat(200));
const maybe = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined });

function id(): string {
  return '018d3e4b5f607a8b9c0d1e2f3a4b5c6d';
}

const otherHeaders: fc.Arbitrary<Header[]> = fc.array(
  fc.record({ name: fc.constantFrom('X', 'x-Note', 'Subject_2'), value: words }),
  { maxLength: 3 },
);
const chunks: fc.Arbitrary<StreamChunk> = fc.record({
  index: fc.nat({ max: 999_999_999 }),
  end: fc.boolean(),
});

/** Mostly lawful; what is not breaks one rule or another. */
const messages: fc.Arbitrary<Message> = fc
  .record({
    to: fc.oneof({ weight: 20, arbitrary: addresses }, anyText),
    kind: fc.constantFrom(...messageKinds),
    // A text knows one zero only.
    priority: fc.oneof(
      { weight: 20, arbitrary: fc.integer({ min: 0, max: 9 }) },
      fc.double().filter((value) => !Object.is(value, -0)),
    ),
    thread: maybe(fc.oneof({ weight: 20, arbitrary: words }, anyText)),
    re: maybe(hex(32)),
    checksum: maybe(hex(64)),
    attachments: fc.array(hex(64), { maxLength: 2 }),
    ttlMs: maybe(fc.integer({ min: 1, max: 3_000_000_000 })),
    dedupKey: maybe(words),
    eventType: maybe(fc.constantFrom('build.done', 'a', '-', 'a..b')),
    chunk: maybe(chunks),
    receipt: maybe(fc.constant('read' as const)),
    origin: maybe(
      fc.record({ from: agentNames, id: hex(32), sent: instants.map((at) => at.toISOString()) }),
    ),
    headers: fc.oneof(
      { weight: 20, arbitrary: otherHeaders },
      fc.array(fc.record({ name: anyText, value: anyText }), { maxLength: 3 }),
    ),
    body: fc.oneof(anyText, fc.string({ unit: 'grapheme', maxLength: 60 }), fc.constant('a\r\n\n')),
  })
  .map(withKindRules);

// Else chance would hardly ever make a stream, an event or an answer that is lawful.
function withKindRules(message: Message): Message {
  const { kind } = message;
  return {
    ...message,
    eventType: kind === 'event' ? message.eventType : undefined,
    chunk: kind === 'stream' ? (message.chunk ?? { index: 0, end: true }) : undefined,
    re: ['ack', 'nack', 'response'].includes(kind) ? (message.re ?? id()) : message.re,
  };
}

interface Mutation {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

const mutations: fc.Arbitrary<Mutation[]> = fc.array(
  fc.record({
    at: fc.nat({ max: 400 }),
    remove: fc.nat({ max: 5 }),
    insert: fc.oneof(
      fc.constantFrom('\n', '\r\n', '\n\n', ':', '\0', '\ufeff', ' ', '\t', '\r', '\u2028', ''),
      fc.constantFrom(...knownHeaders).map((name) => `\n${name.toLowerCase()}: 1\n`),
      anyText,
    ),
  }),
  { maxLength: 4 },
);

function mutated(text: string, changes: readonly Mutation[]): string {
  return changes.reduce((result, { at, remove, insert }) => {
    const place = at % (result.length + 1);
    return result.slice(0, place) + insert + result.slice(place + remove);
  }, text);
}

test('arbitrary bytes are refused in words or read the same twice', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.uint8Array({ maxLength: 60 }).map((end) => Uint8Array.from([...bytesOf('TO: a\n'), ...end])),
    fc
      .uint8Array({ maxLength: 60 })
      .map((body) => Uint8Array.from([...bytesOf('TO: a\n\n'), ...body])),
  );

  fuzz(isFull ? 200_000 : 2000, bytes, checkText);
});

test('messages that were changed on the way are refused in words or read the same twice', () => {
  const texts = fc
    .tuple(messages, mutations)
    .map(([message, changes]) => mutated(printMessage(message), changes));

  fuzz(isFull ? 250_000 : 2500, texts, (text) => checkText(bytesOf(text)));
});

test('messages made in code are refused in words or come back equal from their text', () => {
  const count = isFull ? 250_000 : 2500;
  let passed = 0;

  fuzz(count, messages, (message) => {
    const lawful = attempt(() => checkMessage(message) === undefined) ?? false;
    if (!lawful) return;
    passed++;
    expect(parseMessage(bytesOf(printMessage(message)))).toEqual(message);
  });

  expect(passed).toBeGreaterThan(count / 5);
});

test('addresses are refused in words or understood', () => {
  const values = fc.oneof(
    anyText,
    fc.tuple(addresses, mutations).map(([to, by]) => mutated(to, by)),
  );

  fuzz(isFull ? 100_000 : 1000, values, (to) => {
    attempt(() => parseAddress(to));
    attempt(() => checkChannel(to));
  });
});

test('bodies for the orchestrator are refused in words or understood', () => {
  const lines = fc.constantFrom(
    'NAME: worker-1',
    'CLI: claude',
    'PROMPT: do it',
    'WORKING_DIR: /work',
    'ENV: A=1,B=2',
    'REASON: done',
    'ACTION: save',
    'ACTION: load',
    'KEY: plan',
    'STATUS: active',
    '',
  );
  const bodies = fc
    .tuple(
      fc.array(fc.oneof({ weight: 9, arbitrary: lines }, anyText), { maxLength: 6 }),
      mutations,
    )
    .map(([all, changes]) => mutated(all.join('\n'), changes));
  const kinds = fc.constantFrom(...messageKinds, 'spawn', 'spawn', 'continuity');

  fuzz(isFull ? 200_000 : 2000, fc.tuple(kinds, bodies), ([kind, body]) => {
    const request = attempt(() => parseOrchestratorRequest(kind, body));

    if (request !== undefined) expect(request.kind).toBe(kind);
  });
});

const full = 1024 * 1024;

test.each([
  ['line feeds', '\n'.repeat(full)],
  ['blanks in a header', `TO: a\nX: ${' '.repeat(16_000)}b${' '.repeat(300)}\n\n`],
  ['dots of an event', `TO: a\nKIND: event\nEVENT: ${'a.'.repeat(7000)}\n\n`],
  ['digits of a chunk', `TO: a\nKIND: stream\nCHUNK: ${'1'.repeat(15_000)} end\n\n`],
  ['headers', `TO: a\n${'X:\n'.repeat(5000)}\n`],
  ['colons', ':'.repeat(full)],
  ['a long kind', `TO: a\nKIND: ${'k'.repeat(16_000)}\n\n`],
  ['a large body', `TO: a\n\n${'🙂'.repeat(full / 4 - 2)}`],
])('a megabyte of %s takes no longer than another case', (_what, text) => {
  const bytes = bytesOf(text);

  checkSoon(() => attempt(() => parseMessage(bytes)));
});

test.each([
  ['spawn', 'PROMPT: x\n'.padEnd(full, '\n')],
  ['spawn', 'NAME: x\n'.padEnd(full - 1, '\n').concat('x')],
  ['spawn', 'PROMPT: x\n'.padEnd(full, 'CLI\n')],
  ['spawn', `NAME: a\nCLI: b\nENV: ${'A=1,'.repeat(full / 4 - 10)}`],
  ['spawn', `NAME: a\nCLI: b\nWORKING_DIR: /${'../'.repeat(300_000)}`],
  ['release', `NAME: ${' '.repeat(full - 100)}a`],
  ['continuity', `ACTION: save\n${'KEY '.repeat(full / 4 - 10)}`],
  ['status', `STATUS: ${'active '.repeat(100_000)}`],
] as const)('a megabyte for a %s takes no longer than another case', (kind, body) => {
  checkSoon(() => attempt(() => parseOrchestratorRequest(kind, body)));
});
