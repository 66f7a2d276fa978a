import { describe, expect, test } from 'vitest';
import type { Client } from '../../gateway/client/client.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Context } from '../core/context.ts';
import { followCall, streamCall } from './follow-call.ts';

type Sights = ReturnType<Client['streamTool']>;
type Sight = Exclude<Awaited<ReturnType<Sights['next']>>['value'], void>;

const answer: Sight = {
  kind: 'answer',
  answer: {
    ...{ call_id: 'c1', tool: 'test.show', state: 'answered', trust: 'data' },
    ...{ output: 'done', bytes: 4, approval: null },
  },
};

async function* sightsOf(...sights: readonly (Sight | AosError)[]): Sights {
  for (const sight of sights) {
    if (sight instanceof AosError) throw sight;
    yield sight;
  }
}

const output = (stream: 'stdout' | 'stderr', text: string): Sight => ({
  ...{ kind: 'output', stream, text },
});

interface Streams {
  readonly rawOut?: true;
  readonly rawErr?: true;
}

/** What is written where, in its order; `out!` and `err!` as bytes. */
function written({ rawOut, rawErr }: Streams = {}) {
  const all: (readonly [where: string, what: string | Uint8Array])[] = [];
  const to = (where: string) => (what: string | Uint8Array) => void all.push([where, what]);
  const terminal = {
    ...{ out: to('out'), err: to('err') },
    rawOut: rawOut && to('out!'),
    rawErr: rawErr && to('err!'),
  };
  const stream = ({ data }: { readonly data: unknown }) => to('json')(JSON.stringify(data));
  // As much of a context as is looked at.
  return { all, context: { terminal, stream } as unknown as Context };
}

describe('followCall()', () => {
  test('writes each part to its stream, and hands out the answer', async () => {
    const { all, context } = written();

    const seen = await followCall(
      context,
      sightsOf(output('stdout', 'a\n'), output('stderr', 'b\n'), answer),
    );

    expect(all).toEqual([
      ['out', 'a\n'],
      ['err', 'b\n'],
    ]);
    expect(seen).toMatchObject({ answer: { output: 'done' }, hasShown: true });
  });

  test('lets nothing move the cursor of a terminal', async () => {
    const { all, context } = written();

    await followCall(context, sightsOf(output('stdout', 'a\u001b[2J\rb\n'), answer));

    expect(all).toEqual([['out', 'a\\u001b[2J\\u000db\n']]);
  });

  test('hands on bytes as they are where nobody looks', async () => {
    const { all, context } = written({ rawOut: true, rawErr: true });
    const binary: Sight = { kind: 'output', stream: 'stdout', base64: '/wA=' };

    await followCall(context, sightsOf(binary, output('stderr', '\u001b[1m\n'), answer));

    expect(all).toEqual([
      ['out!', Buffer.from([0xff, 0])],
      ['err!', Buffer.from('\u001b[1m\n')],
    ]);
  });

  test('ends a line that was left open on a terminal, but adds nothing to a file', async () => {
    const onTerminal = written();
    const toFile = written({ rawOut: true });

    await followCall(onTerminal.context, sightsOf(output('stdout', 'a'), answer));
    await followCall(toFile.context, sightsOf(output('stdout', 'a'), answer));

    expect(onTerminal.all).toEqual([
      ['out', 'a'],
      ['out', '\n'],
    ]);
    expect(toFile.all).toEqual([['out!', Buffer.from('a')]]);
  });

  test('says where something is missing', async () => {
    const { all, context } = written();

    await followCall(
      context,
      sightsOf(output('stdout', 'a'), { kind: 'dropped', bytes: 5 }, answer),
    );

    expect(all.slice(1)).toEqual([
      ['out', '\n'],
      ['err', '… 5 bytes left out here, which came too fast to be shown\n'],
    ]);
  });

  test('throws what went wrong, on a line of its own', async () => {
    const { all, context } = written();
    const failure = new AosError('tool.timeout', { message: 'It took too long' });

    const following = followCall(context, sightsOf(output('stderr', 'a'), failure));

    await expect(following).rejects.toBe(failure);
    expect(all.at(-1)).toEqual(['err', '\n']);
  });

  test('refuses an end without an answer', async () => {
    const following = followCall(written().context, sightsOf(output('stdout', 'a\n')));

    await expect(following).rejects.toMatchObject({ code: 'gateway.strange-answer' });
  });
});

test('streamCall() writes a line of JSON for each part', async () => {
  const { all, context } = written();

  const { hasShown } = await streamCall(
    context,
    sightsOf(output('stdout', 'a'), { kind: 'dropped', bytes: 5 }, answer),
  );

  expect(hasShown).toBe(true);
  expect(all).toEqual([
    ['json', '{"type":"output","stream":"stdout","text":"a"}'],
    ['json', '{"type":"dropped","bytes":5}'],
  ]);
});
