import { describe, expect, test } from 'vitest';
import { type CommandHome, commandHome } from '../../../tests/support/command-home.ts';
import { testTool } from '../../../tests/support/temporary-tools.ts';
import { until } from '../../../tests/support/until.ts';
import { AosError } from '../../kernel/errors.ts';
import type { ToolCall } from '../../tools/tool.ts';

const follow = ['tool', 'call', 'test.show', '--follow'];
const ended = {
  ...{ program: '/bin/sh', exit_code: 0, signal: null, stopped_by: null, ms: 1200 },
  ...{ stdout: '', stderr: '', truncated: false },
};

async function homeWith(run: (call: ToolCall) => Promise<unknown>): Promise<CommandHome> {
  const home = await commandHome('jean');
  home.tools.register(testTool('test.show', (_args, call) => run(call), { actions: () => [] }));
  return home;
}

function speak({ show }: ToolCall): void {
  show?.({ stream: 'stdout', bytes: Buffer.from('a\n') });
  show?.({ stream: 'stderr', bytes: Buffer.from('b\n') });
}

describe('aos tool call --follow', () => {
  test('prints what a program writes, and how it ended', async () => {
    await using home = await homeWith(async (call) => {
      speak(call);
      return { ...ended, exit_code: 7, stdout: 'a\n', stderr: 'b\n' };
    });

    const run = await home.aos(follow);

    expect(run).toEqual({ code: 0, stdout: 'a\n', stderr: 'b\nexit code 7, 1.2s\n' });
  });

  test('prints lines of JSON, and the answer last', async () => {
    await using home = await homeWith(async (call) => {
      speak(call);
      return { ...ended, stdout: 'a\n', stderr: 'b\n' };
    });

    const { code, stdout } = await home.aos([...follow, '--json']);

    expect(code).toBe(0);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { type: 'output', stream: 'stdout', text: 'a\n' },
      { type: 'output', stream: 'stderr', text: 'b\n' },
      { ok: true, data: expect.objectContaining({ state: 'answered' }) },
    ]);
  });

  test('of a program that writes nothing prints how it ended', async () => {
    await using home = await homeWith(async () => ended);

    expect(await home.aos(follow)).toMatchObject({ stdout: '', stderr: 'exit code 0, 1.2s\n' });
  });

  test('of a tool that shows nothing prints what it brings', async () => {
    await using home = await homeWith(async () => 'brought');

    const followed = await home.aos(follow);

    expect(followed).toEqual({ code: 0, stdout: 'brought\n', stderr: '' });
    expect(await home.aos(follow.slice(0, -1))).toEqual(followed);
  });

  test('of a call that was made before prints its result', async () => {
    await using home = await homeWith(async (call) => {
      speak(call);
      return { ...ended, stdout: 'a\n', stderr: 'b\n' };
    });
    const words = [...follow, '--key', 'k'];

    await home.aos(words);
    const again = await home.aos(words);

    expect(JSON.parse(again.stdout)).toMatchObject({ stdout: 'a\n' });
  });

  test('fails as a call fails', async () => {
    await using home = await homeWith(async (call) => {
      speak(call);
      throw new AosError('tool.too-large', { message: 'Too much', fix: 'Less' });
    });

    const run = await home.aos(follow);
    const denied = await home.aos(['tool', 'call', 'file.read', ...words({ path: '/x' })]);

    expect(run.code).not.toBe(0);
    expect(run).toMatchObject({ stdout: 'a\n', stderr: 'b\nerror: Too much\n  try: Less\n' });
    expect(denied).toMatchObject({ code: 3, stdout: '' });
  });

  test('tells on Ctrl-C that the call goes on, and so it does', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    await using home = await homeWith((call) => {
      speak(call);
      return promise;
    });
    const stop = new AbortController();
    const onErr = (text: string) => {
      const why = { message: 'Stopped by Ctrl-C' };
      if (text === 'b\n') stop.abort(new AosError('interrupted.signal', why));
    };

    const run = await home.aos(follow, { signal: stop.signal, onErr });
    resolve('in the end');

    expect(run.code).toBe(130);
    expect(run.stderr).toContain('A call that the daemon has begun may go on.');
    await until(async () => {
      expect((await home.client.calls({ state: 'answered' })).items).toHaveLength(1);
    });
  });
});

function words(args: object): readonly string[] {
  return ['--args', JSON.stringify(args), '--as', 'jean', '--follow'];
}
