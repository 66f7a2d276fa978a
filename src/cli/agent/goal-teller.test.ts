import { describe, expect, test } from 'vitest';
import type { WireStep } from '../../gateway/contract/contract.ts';
import type { Step } from '../../kernel/journal/step.ts';
import { GoalTeller, type GoalUpdate } from './goal-teller.ts';

const callId = 'c'.repeat(32);
const { signal } = new AbortController();

/** What is said on stderr of these, one after another. */
async function told(...sights: readonly GoalUpdate[]): Promise<string> {
  let said = '';
  const terminal = {
    err: (text: string) => {
      said += text;
    },
    colorErr: false,
  };
  const approval = { id: 'a1', call_id: callId, tool: 'file.write' };
  const call = { call_id: callId, started_at: at(0), ended_at: at(1500) };
  const client = {
    // As much of an answer as is looked at.
    approvals: async () => ({ items: [approval], next: null }) as never,
    calls: async () => ({ items: [call], next: null }) as never,
  };
  const teller = new GoalTeller({ terminal, client, agent: 'jean' });
  for (const sight of sights) await teller.take(sight, signal);
  teller.endLine();
  return said;
}

function at(ms: number): string {
  return new Date(ms).toISOString();
}

function stepSight(step: Step): GoalUpdate {
  const wire: WireStep = { seq: 1, at: at(0), kind: step.kind, step: { ...step } };
  return { kind: 'step', step: wire };
}

function words(text: string): GoalUpdate {
  return { kind: 'delta', delta: { kind: 'text', text } };
}

function output(text: string, stream: 'stdout' | 'stderr' = 'stdout'): GoalUpdate {
  return { kind: 'output', call: 'x', tool: 'file.read', stream, text };
}

type Parts = Extract<Step, { readonly kind: 'answered' }>['parts'];

function answered(...parts: Parts): GoalUpdate {
  const usage = { input_tokens: 1, output_tokens: 1 };
  return stepSight({ kind: 'answered', turn: 1, parts, finish: 'stop', usage, cost: 0 });
}

const read = { kind: 'tool-call', id: 'x', tool: 'file.read', args: { path: '/a' } } as const;

function toolResult(id: string, text: string, isError = false) {
  return { id, tool: 'file.read', text, is_error: isError, call_id: callId };
}

function result(text: string, isError = false): GoalUpdate {
  return stepSight({ kind: 'results', turn: 1, results: [toolResult('x', text, isError)] });
}

const asked = stepSight({
  ...{ kind: 'asked', turn: 1, model: 'm' },
  hold: { tokens: 1, cost: 0 },
});

describe('GoalTeller', () => {
  test('shows words as they come, once', async () => {
    const said = await told(
      asked,
      words('Hel'),
      words('lo'),
      answered({ kind: 'text', text: 'Hello' }),
    );

    expect(said).toBe('Hello\n');
  });

  test('shows the words of an answer that nobody saw coming', async () => {
    expect(await told(asked, answered({ kind: 'text', text: 'Hello' }))).toBe('Hello\n');
  });

  test('tells of a call on one line, with how long it took', async () => {
    expect(await told(answered(read), result('abc'))).toBe('  file.read {"path":"/a"}  ok, 1.5s\n');
  });

  test('tells why a call failed', async () => {
    const said = await told(answered(read), result('file.missing: no', true));

    expect(said).toBe('  file.read {"path":"/a"}  failed, 1.5s: file.missing: no\n');
  });

  test('tells of several calls when they are over', async () => {
    const other = { ...read, id: 'y', args: { path: '/b' } };

    const results = [toolResult('x', 'abc'), toolResult('y', 'def', true)];
    const said = await told(
      answered(read, other),
      stepSight({ kind: 'results', turn: 1, results }),
    );

    expect(said).toBe(
      '  file.read {"path":"/a"}  ok, 1.5s\n  file.read {"path":"/b"}  failed, 1.5s: def\n',
    );
  });

  test('says the exact command while it waits for a human', async () => {
    const waiting = { kind: 'state', state: 'waiting', waits_for: `call:${callId}` } as const;

    const said = await told(answered(read), waiting, waiting, result('abc'));

    expect(said).toBe(
      '  file.read {"path":"/a"}\nfile.write waits until a human approves it: aos approvals approve a1\n  file.read {"path":"/a"}  ok, 1.5s\n',
    );
  });

  test('says how a call goes on that was cut off', async () => {
    const unsure = {
      kind: 'state',
      state: 'waiting',
      waits_for: `call:${'d'.repeat(32)}`,
    } as const;

    expect(await told(unsure)).toContain(`aos resolve ${'d'.repeat(32)} done|redo|fail`);
  });

  test('says how a paused one goes on', async () => {
    expect(await told({ kind: 'state', state: 'paused', waits_for: null })).toContain(
      'aos resume jean',
    );
  });

  test('spells out what would move the cursor, and joins the halves of a character', async () => {
    const said = await told(asked, words('a\u001b[2J\ud83d'), words('\ude00b'));

    expect(said).toBe('a\\u001b[2J\u{1f600}b\n');
  });

  test('shows what a tool shows, indented below its call', async () => {
    const said = await told(
      answered(read),
      output('one\n\ntwo'),
      output(' and a half\n'),
      output('bad\u001b[2J', 'stderr'),
      output('more'),
      { kind: 'dropped', call: 'x', tool: 'file.read' },
      result('abc'),
    );

    expect(said.split('\n')).toEqual([
      '  file.read {"path":"/a"}',
      '    one',
      '    ',
      '    two and a half',
      '    bad\\u001b[2J',
      '    more',
      '    … not all that file.read shows from here on',
      '  file.read {"path":"/a"}  ok, 1.5s',
      '',
    ]);
  });

  test('says plainly that a scripted model follows a script', async () => {
    const begun = stepSight({
      ...{ kind: 'begun', goal: 'g', because: 'b', instructions: 'i' },
      ...{ model: 'scripted:hello', is_scripted: true },
    });

    expect(await told(begun)).toBe('model scripted:hello (scripted model: follows a script)\n');
  });
});
