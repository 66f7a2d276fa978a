import { createConnection, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  bearer,
  send,
  type TemporaryGateway,
  temporaryGateway,
} from '../../../tests/support/temporary-gateway.ts';
import { testTool } from '../../../tests/support/temporary-tools.ts';
import { until } from '../../../tests/support/until.ts';
import { AosError } from '../../kernel/errors.ts';
import type { OutputPart } from '../../kernel/sandbox.ts';
import type { ToolCall } from '../../tools/tool.ts';
import type { GatewayDeps } from '../server/deps.ts';

const path = '/api/v1/tools/test.show/stream';

/** With a tool that does what the test says; anybody may call it. */
async function gatewayWith(
  run: (call: ToolCall) => Promise<unknown>,
  choices: Partial<GatewayDeps> = {},
): Promise<TemporaryGateway> {
  const gateway = await temporaryGateway(choices);
  gateway.tools.register(testTool('test.show', (_args, call) => run(call), { actions: () => [] }));
  return gateway;
}

const stdout = (bytes: string | Uint8Array): OutputPart => ({
  stream: 'stdout',
  bytes: Buffer.from(bytes),
});

function see({ client }: TemporaryGateway, options: { readonly key?: string } = {}) {
  return Array.fromAsync(client.streamTool('test.show', { args: {} }, options));
}

function callIn(gateway: TemporaryGateway, state: 'started' | 'answered') {
  return until(async () => {
    const [call] = (await gateway.client.calls({ state })).items;
    if (call === undefined) throw new Error(`no call is ${state}`);
    return call;
  });
}

function metricsOf({ ownerSocket }: TemporaryGateway): Promise<string> {
  return send({ at: ownerSocket, path: '/metrics' }).then(({ text }) => text);
}

describe('a call that somebody looks on at', () => {
  test('shows its parts in their order, and its answer last', async () => {
    await using gateway = await gatewayWith(async ({ show }) => {
      show?.(stdout('a\n'));
      show?.({ stream: 'stderr', bytes: Buffer.from('b\n') });
      return 'done';
    });

    const sights = await see(gateway);

    expect(sights).toEqual([
      { kind: 'output', stream: 'stdout', text: 'a\n' },
      { kind: 'output', stream: 'stderr', text: 'b\n' },
      { kind: 'answer', answer: expect.objectContaining({ state: 'answered', output: 'done' }) },
    ]);
  });

  test('shows a part while it still runs', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using gateway = await gatewayWith(async ({ show }) => {
      show?.(stdout('first'));
      await promise;
      return 'done';
    });
    const sights = gateway.client.streamTool('test.show', { args: {} });

    const first = await sights.next();
    resolve();

    expect(first.value).toEqual({ kind: 'output', stream: 'stdout', text: 'first' });
    expect(await Array.fromAsync(sights)).toMatchObject([{ kind: 'answer' }]);
  });

  test('shows characters whole, bytes that are no text as base64, and no secret', async () => {
    await using gateway = await gatewayWith(async ({ show }) => {
      const smile = Buffer.from('\u{1f600}');
      show?.(stdout(smile.subarray(0, 2)));
      show?.(stdout(smile.subarray(2)));
      show?.({ stream: 'stderr', bytes: Buffer.from([0xff]) });
      show?.(stdout('hunter2-hun'));
      show?.(stdout('ter2 '));
      return null;
    });
    await gateway.client.setSecret({ name: 'PASSWORD', value: 'hunter2-hunter2' });

    const sights = await see(gateway);

    const texts = sights.map((sight) => ('text' in sight ? sight.text : '')).join('');
    expect(texts).toBe('\u{1f600}[secret:PASSWORD] ');
    expect(sights).toContainEqual({ kind: 'output', stream: 'stderr', base64: '/w==' });
  });

  test('ends with the problem that the call would have been answered with', async () => {
    await using gateway = await gatewayWith(async ({ show }) => {
      show?.(stdout('a'));
      throw new AosError('tool.too-large', { message: 'Too much', fix: 'Less' });
    });

    const answer = await send({
      at: gateway.ownerSocket,
      path,
      method: 'POST',
      body: '{"args":{}}',
    });
    const plain = gateway.client.callTool('test.show', { args: {} });

    await expect(plain).rejects.toMatchObject({ code: 'tool.too-large' });
    await expect(see(gateway)).rejects.toMatchObject({
      code: 'tool.too-large',
      message: 'Too much',
    });
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(/^event: output\n.*\n\nevent: problem\ndata: \{.*\}\n\n$/);
    expect(answer.text).toContain('"call_id"');
  });

  test('hides what broke from who called', async () => {
    await using gateway = await gatewayWith(() => Promise.reject(new Error('of nobody else')));

    await expect(see(gateway)).rejects.toMatchObject({ code: 'tool.failed' });
  });

  test('is made once under its key', async () => {
    let runs = 0;
    await using gateway = await gatewayWith(async ({ show }) => {
      show?.(stdout('a'));
      return ++runs;
    });

    const first = await see(gateway, { key: 'k' });
    const again = await see(gateway, { key: 'k' });

    expect(first).toHaveLength(2);
    expect(again).toEqual([first[1]]);
  });

  test('that waits for a human says so at once', async () => {
    await using gateway = await temporaryGateway();
    const asks = () => 'It is a test.';
    gateway.tools.register(testTool('test.show', async () => 1, { actions: () => [], asks }));
    await gateway.client.register('jean');

    const call = { args: {}, as: 'jean' };
    const sights = await Array.fromAsync(gateway.client.streamTool('test.show', call));

    expect(sights).toMatchObject([{ kind: 'answer', answer: { state: 'waiting' } }]);
  });

  test('hears now and then that the daemon is there', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using gateway = await gatewayWith(() => promise, { limits: { heartbeatMs: 20 } });
    const reader = new RawReader(gateway);

    await reader.until(': still here\n\n');
    resolve();

    await reader.until('event: answer\n');
    await reader.closed;
  });
});

describe('a call that is refused before it starts is answered as any other:', () => {
  test.each([
    ['without such a tool', '/api/v1/tools/test.none/stream', '{"args":{}}', 404, 'tool.unknown'],
    ['with other arguments', path, '{"args":{"no":1}}', 400, 'tool.bad-arguments'],
    ['with no body', path, '{}', 400, 'gateway.bad-request'],
    ['for an agent that is not there', path, '{"args":{},"as":"sam"}', 404, 'agent.unknown'],
  ])('%s', async (_what, where, body, status, code) => {
    await using gateway = await gatewayWith(async () => 1);

    const answer = await send({ at: gateway.ownerSocket, path: where, method: 'POST', body });

    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer).toMatchObject({ status, json: { code } });
  });

  test('without a grant', async () => {
    await using gateway = await temporaryGateway();
    await gateway.client.register('jean');
    const call = { args: { path: '/etc/hostname' }, as: 'jean' };

    const attempt = Array.fromAsync(gateway.client.streamTool('file.read', call));

    await expect(attempt).rejects.toMatchObject({ code: 'capability.denied' });
  });
});

describe('a reader', () => {
  test('that does not read misses parts, and still gets the answer', async () => {
    const pieces = 200;
    await using gateway = await gatewayWith(async ({ show }) => {
      for (let piece = 0; piece < pieces; piece++) {
        show?.(stdout('x'.repeat(64 * 1024)));
        await new Promise(setImmediate);
      }
      return 'whole';
    });
    const reader = new RawReader(gateway);
    reader.socket.pause();
    await callIn(gateway, 'answered');

    reader.socket.resume();
    await reader.closed;

    const events = Array.from(reader.text.matchAll(/^event: (\w+)$/gm), ([, event]) => event);
    expect(events.filter((event) => event !== 'output')).toEqual(['dropped', 'answer']);
    expect(events.at(-2)).toBe('dropped');
    expect(Number(/"bytes":(\d+)/.exec(reader.text)?.[1])).toBeGreaterThan(1_000_000);
    expect(reader.text.slice(-300)).toContain('"output":"whole"');
    expect(reader.text.length).toBeLessThan(2 * 1024 * 1024);
  });

  test('that never reads is cut off when the call is over', async () => {
    await using gateway = await gatewayWith(async () => 'x'.repeat(900_000), {
      limits: { slowReaderMs: 100 },
    });
    const reader = new RawReader(gateway);
    reader.socket.pause();

    await until(async () => {
      expect(await metricsOf(gateway)).toContain('aos_events_cut_off_total 1');
    });

    expect(await metricsOf(gateway)).toContain('aos_events_clients 0');
    reader.socket.destroy();
  });

  test('that leaves does not end the call', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    await using gateway = await gatewayWith(async ({ show }) => {
      show?.(stdout('a'));
      const end = await promise;
      show?.(stdout('b'));
      return end;
    });
    const reader = new RawReader(gateway);
    await reader.until('event: output\n');

    reader.socket.destroy();
    await until(async () => {
      expect(await metricsOf(gateway)).toContain('aos_events_clients 0');
    });
    resolve('in the end');

    const { call_id } = await callIn(gateway, 'answered');
    expect(await gateway.client.toolCall(call_id)).toMatchObject({ output: 'in the end' });
  });

  test('whose handle is taken away sees no more', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using gateway = await gatewayWith(() => promise, { limits: { heartbeatMs: 20 } });
    const { handle } = await gateway.client.register('jean');
    const at = gateway.agentSocket('jean');
    const reader = new RawReader(gateway, { at, headers: bearer(handle) });
    await reader.until(': still here\n\n');

    await gateway.client.renewHandle('jean');

    await reader.closed;
    expect(reader.text).not.toContain('event: answer');
    resolve();
    await callIn(gateway, 'answered');
  });

  test('does not keep the daemon from stopping', async () => {
    const gateway = await gatewayWith(
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        }),
    );
    const seen = see(gateway);
    const failed = expect(seen).rejects.toMatchObject({ code: 'daemon.down' });
    await callIn(gateway, 'started');

    await gateway[Symbol.asyncDispose]();

    await failed;
  });
});

interface RawChoices {
  readonly at?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The bytes of the stream as they come, by a reader that a test can hold. */
class RawReader {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  text = '';

  constructor(
    { ownerSocket }: TemporaryGateway,
    { at = ownerSocket, headers = {} }: RawChoices = {},
  ) {
    this.socket = createConnection(at);
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
    this.socket.on('error', () => {});
    this.socket.setEncoding('utf8').on('data', (part: string) => {
      this.text += part;
    });
    const body = '{"args":{}}';
    const all = {
      ...{ host: 'localhost', 'content-type': 'application/json' },
      ...{ 'content-length': String(body.length), ...headers },
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    this.socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  }

  async until(words: string): Promise<void> {
    await until(() => expect(this.text).toContain(words));
  }
}
