import { describe, expect, test } from 'vitest';
import {
  type EmbeddingServer,
  embeddingServer,
  type Reply,
  type SeenQuestion,
} from '../../tests/support/embedding-server.ts';
import { HastyClock } from '../../tests/support/model-server/hasty-clock.ts';
import { until } from '../../tests/support/until.ts';
import { AosError } from '../kernel/errors.ts';
import type { Embedder } from '../kernel/memory/index-port.ts';
import { type HttpEmbedderOptions, openHttpEmbedder } from './http-embedder.ts';

const forEver = new AbortController().signal;

/** Waits between tries are over at once, and patience never is: unless the test says so. */
class PatientClock extends HastyClock {
  readonly #leastPatienceMs: number;
  readonly ends: (() => void)[] = [];

  constructor(leastPatienceMs = 5000) {
    super();
    this.#leastPatienceMs = leastPatienceMs;
  }

  override sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    if (durationMs < this.#leastPatienceMs) return super.sleep(durationMs, signal);
    return new Promise((resolve, reject) => {
      this.ends.push(resolve);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }
}

function open(url: string, options: Partial<HttpEmbedderOptions> = {}): Promise<Embedder> {
  return openHttpEmbedder({
    ...{ url, model: 'toy', key: undefined, clock: new PatientClock() },
    random: { bytes: (size) => new Uint8Array(size) },
    ...options,
  });
}

/** A vector for each text: its length, and one. */
const vectorsOf = (input: readonly string[]) => input.map((text) => [text.length, 1]);
const ollama = ({ input }: SeenQuestion): Reply => ({ body: { embeddings: vectorsOf(input) } });
const openai = ({ input }: SeenQuestion): Reply => ({
  body: { data: vectorsOf(input).map((embedding, index) => ({ index, embedding })) },
});

const wires = [
  ['ollama', '/api/embed', ollama],
  ['openai', '/v1', openai],
] as const;

/** Answers our first question well, and then like this. */
async function afterOpening(
  reply: Reply | ((question: SeenQuestion) => Reply),
  options: Partial<HttpEmbedderOptions> = {},
): Promise<{ embedder: Embedder; server: EmbeddingServer } & AsyncDisposable> {
  const server = await embeddingServer((question, number) => {
    if (number === 1) return ollama(question);
    return typeof reply === 'function' ? reply(question) : reply;
  });
  const embedder = await open(`${server.url}/api/embed`, options);
  return { embedder, server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function errorOf(work: Promise<unknown>): Promise<AosError> {
  const thrown = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (thrown instanceof AosError) return thrown;
  throw new Error('it did not fail with an error of ours', { cause: thrown });
}

describe.each(wires)('%s', (_kind, path, reply) => {
  test('a vector of unit length comes back for each text, in order', async () => {
    await using server = await embeddingServer(reply);
    await using embedder = await open(`${server.url}${path}`);

    const vectors = await embedder.embed(['abc', ''], forEver);

    expect(embedder.dimensions).toBe(2);
    expect(vectors[0]?.[0]).toBeCloseTo(3 / Math.sqrt(10), 5);
    expect(vectors[0]?.[1]).toBeCloseTo(1 / Math.sqrt(10), 5);
    expect(vectors).toHaveLength(2);
    expect(server.seen[1]).toMatchObject({ model: 'toy', input: ['abc', '-'] });
  });

  test('many texts are asked for 32 at a time', async () => {
    await using server = await embeddingServer(reply);
    await using embedder = await open(`${server.url}${path}`);
    const texts = Array.from({ length: 70 }, (_, index) => 'a'.repeat(index + 1));

    const vectors = await embedder.embed(texts, forEver);

    expect(server.seen.slice(1).map(({ input }) => input.length)).toEqual([32, 32, 6]);
    expect(vectors.map(([first = 0, second = 1]) => Math.round(first / second))).toEqual(
      texts.map(({ length }) => length),
    );
  });

  test('the key goes along', async () => {
    await using server = await embeddingServer(reply);

    await using embedder = await open(`${server.url}${path}`, { key: 'sk-1' });

    expect(embedder.id).not.toContain('sk-1');
    expect(server.seen[0]?.headers.authorization).toBe('Bearer sk-1');
  });
});

test.each([
  ['/api/embed', '/api/embed', ollama],
  ['/api/embed/', '/api/embed', ollama],
  ['/v1', '/v1/embeddings', openai],
  ['/v1/', '/v1/embeddings', openai],
  ['', '/v1/embeddings', openai],
  ['/openai/embed?version=3', '/openai/embed?version=3', openai],
])('%j is asked at %j', async (configured, asked, reply) => {
  await using server = await embeddingServer(reply);

  await using embedder = await open(`${server.url}${configured}`);

  expect(server.seen[0]?.path).toBe(asked);
  expect(embedder.id).toBe(`toy at ${server.url}${asked.replace(/\?.*/, '')}`);
});

test('vectors that name their text need not come in order', async () => {
  await using server = await embeddingServer((question) => {
    const data = vectorsOf(question.input).map((embedding, index) => ({ index, embedding }));
    return { body: { data: data.reverse() } };
  });
  await using embedder = await open(server.url);

  const [first, second] = await embedder.embed(['a', 'abc'], forEver);

  expect(first?.[0]).toBeCloseTo(Math.SQRT1_2, 5);
  expect(second?.[0]).toBeCloseTo(3 / Math.sqrt(10), 5);
});

test.each([
  'ftp://127.0.0.1/',
  'nothing',
  'http://jean:secret@127.0.0.1/v1',
  'http://:secret@127.0.0.1/v1',
])('the URL %j is refused, and not repeated', async (url) => {
  const error = await errorOf(open(url));

  expect(error.code).toBe('config.bad-value');
  expect(`${error.message} ${error.fix}`).not.toContain('secret@');
});

test('a text is sent as characters, and cut', async () => {
  await using world = await afterOpening(ollama);

  await world.embedder.embed(['a\ud83d', 'é'.repeat(1e6)], forEver);

  expect(world.server.seen[1]?.input[0]).toBe('a\ufffd');
  expect(world.server.seen[1]?.input[1]).toHaveLength(4000);
});

test('no text is no question', async () => {
  await using world = await afterOpening(ollama);

  expect(await world.embedder.embed([], forEver)).toEqual([]);
  expect(world.server.seen).toHaveLength(1);
});

test.each([
  ['fewer vectors than texts', { embeddings: [[1, 2]] }, '1 vectors for 2 texts'],
  [
    'more vectors than texts',
    {
      embeddings: [
        [1, 2],
        [1, 2],
        [1, 2],
      ],
    },
    '3 vectors for 2 texts',
  ],
  ['no vectors', { error: null }, 'no vectors'],
  [
    'a list',
    [
      [1, 2],
      [1, 2],
    ],
    'no JSON object',
  ],
  ['no JSON', '<html>', 'no JSON object'],
  [
    'a word in a vector',
    {
      embeddings: [
        [1, 2],
        [1, 'x'],
      ],
    },
    'no vector',
  ],
  [
    'a number that is none',
    {
      embeddings: [
        [1, 2],
        [1, null],
      ],
    },
    'no vector',
  ],
  ['a number without end', '{"embeddings": [[1, 2], [1, 1e999]]}', 'no vector'],
  [
    'a vector of nothing',
    {
      embeddings: [
        [1, 2],
        [0, 0],
      ],
    },
    'no vector',
  ],
  ['an empty vector', { embeddings: [[1, 2], []] }, 'no vector'],
  [
    'other dimensions',
    {
      embeddings: [
        [1, 2, 3],
        [1, 2, 3],
      ],
    },
    'other dimensions',
  ],
])('an answer with %s is an error, and not asked for again', async (_what, body, words) => {
  await using world = await afterOpening({ body });

  const error = await errorOf(world.embedder.embed(['one', 'two'], forEver));

  expect(error.code).toBe('memory.embedder-failed');
  expect(error.message).toContain(words);
  expect(error.message).toContain(world.server.url);
  expect(world.server.seen).toHaveLength(2);
});

test('a vector that names another’s text leaves a gap, which is an error', async () => {
  await using server = await embeddingServer(({ input }) => ({
    body: { data: input.map(() => ({ index: 0, embedding: [1, 2] })) },
  }));
  await using embedder = await open(server.url);

  const error = await errorOf(embedder.embed(['one', 'two'], forEver));

  expect(error.message).toContain('no vector');
});

test.each([429, 500, 503])('status %s is asked again, and answered then', async (status) => {
  let failures = 2;
  await using world = await afterOpening((question) =>
    failures-- > 0 ? { status, body: 'not now' } : ollama(question),
  );

  expect(await world.embedder.embed(['one'], forEver)).toHaveLength(1);
  expect(world.server.seen).toHaveLength(4);
});

test('a connection that broke is tried again', async () => {
  let failures = 1;
  await using world = await afterOpening((question) =>
    failures-- > 0 ? 'reset' : ollama(question),
  );

  expect(await world.embedder.embed(['one'], forEver)).toHaveLength(1);
});

test('a server that stays broken is an error after some tries', async () => {
  await using world = await afterOpening({ status: 500, body: { error: 'out of memory' } });

  const error = await errorOf(world.embedder.embed(['one'], forEver));

  expect(error.code).toBe('memory.embedder-failed');
  expect(error.message).toContain('status 500');
  expect(world.server.seen).toHaveLength(7);
});

test('a server that is gone is said to be', async () => {
  const world = await afterOpening(ollama);
  await world[Symbol.asyncDispose]();

  const error = await errorOf(world.embedder.embed(['one'], forEver));

  expect(error.message).toContain('nothing answers at this address');
});

test('what a server says of a memory is told to nobody', async () => {
  await using world = await afterOpening(({ input }) => ({
    status: 400,
    body: { error: { message: `I do not like "${input[0]}"` } },
  }));

  const error = await errorOf(world.embedder.embed(['the secret of Jean'], forEver));

  expect(JSON.stringify([error.message, error.fix, error.details])).not.toContain('Jean');
  expect(error.message).toContain('status 400');
});

test('what a server says of our own word is told', async () => {
  await using server = await embeddingServer(() => ({
    status: 404,
    body: { error: 'model "toy" not found, try pulling it first' },
  }));

  const error = await errorOf(open(`${server.url}/api/embed`));

  expect(error.code).toBe('memory.embedder-failed');
  expect(error.message).toContain('not found, try pulling it first');
  expect(error.fix).toBe('ollama pull toy');
});

test.each([401, 500])(
  'a key is in no error, also when the server repeats it: %s',
  async (status) => {
    await using server = await embeddingServer(({ headers }) => ({
      status,
      body: { error: `You sent ${headers.authorization}` },
    }));

    const error = await errorOf(open(server.url, { key: 'sk-canary' }));

    expect(JSON.stringify([error.message, error.fix, error.details])).not.toContain('canary');
  },
);

test('what a server says of a key is not told, because it may be a part of it', async () => {
  await using server = await embeddingServer(() => ({
    status: 401,
    body: { error: { message: 'Incorrect API key provided: sk-can***ry' } },
  }));

  const error = await errorOf(open(server.url, { key: 'sk-canary' }));

  expect(error.message).toContain('does not take the key');
  expect(error.message).not.toContain('sk-can');
});

test('a key that cannot be one is refused, and not repeated', async () => {
  const error = await errorOf(open('http://127.0.0.1:1/v1', { key: 'sk-canary\n' }));

  expect(error.code).toBe('memory.embedder-failed');
  expect(error.message).not.toContain('canary');
});

test('the key is not taken along to another place', async () => {
  await using elsewhere = await embeddingServer(ollama);
  await using server = await embeddingServer(() => ({
    status: 307,
    body: '',
    headers: { location: `${elsewhere.url}/api/embed` },
  }));

  await errorOf(open(`${server.url}/api/embed`, { key: 'sk-1' }));

  expect(elsewhere.seen).toEqual([]);
});

test('a server that says nothing is an error when patience is over', async () => {
  const clock = new PatientClock();
  await using world = await afterOpening('hang', { clock });

  const work = errorOf(world.embedder.embed(['one'], forEver));
  await until(() => expect(world.server.seen.length).toBe(2));
  for (const end of clock.ends) end();

  expect((await work).message).toContain('did not answer in time');
});

test('a server that fails for longer than patience lasts is an error that says why', async () => {
  // Of the waits between tries the first is over at once, and the second is never.
  const clock = new PatientClock(400);
  await using world = await afterOpening({ status: 500, body: '' }, { clock });

  const work = errorOf(world.embedder.embed(['one'], forEver));
  await until(() => expect(world.server.seen.length).toBe(3));
  await until(() => expect(clock.ends.length).toBe(3));
  clock.ends[1]?.();

  expect((await work).message).toContain('status 500');
});

test('who goes away gets the reason back', async () => {
  await using world = await afterOpening('hang');
  const going = new AbortController();
  const reason = new Error('enough');

  const work = world.embedder.embed(['one'], going.signal);
  await until(() => expect(world.server.seen.length).toBe(2));
  going.abort(reason);

  await expect(work).rejects.toBe(reason);
});

test('who goes away while it is opened gets the reason back', async () => {
  await using server = await embeddingServer(() => 'hang');
  const going = new AbortController();
  const reason = new Error('enough');
  const random = { bytes: (size: number) => new Uint8Array(size) };

  const work = openHttpEmbedder(
    { url: server.url, model: 'toy', key: undefined, clock: new PatientClock(), random },
    going.signal,
  );
  await until(() => expect(server.seen.length).toBe(1));
  going.abort(reason);

  await expect(work).rejects.toBe(reason);
});

test('what is under way when it is closed is broken off', async () => {
  await using world = await afterOpening('hang');
  const work = world.embedder.embed(['one'], forEver);
  const broken = expect(work).rejects.toMatchObject({ code: 'memory.embedder-failed' });
  await until(() => expect(world.server.seen.length).toBe(2));

  await world.embedder[Symbol.asyncDispose]();

  await broken;
});

test('vectors larger than any model makes are refused', async () => {
  await using server = await embeddingServer(() => ({
    body: { embeddings: [Array.from({ length: 20_000 }, () => 1)] },
  }));

  const error = await errorOf(open(`${server.url}/api/embed`));

  expect(error.message).toContain('20000 numbers');
});
