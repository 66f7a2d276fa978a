/** The order of calls and answers, on a connection that only writes down what it is told. */
import { expect, test } from 'vitest';
import type { EventLoop } from '../../kernel/ports.ts';
import { GroupCommit, type WritingConnection } from './group-commit.ts';

const realLoop: EventLoop = {
  atEndOfTurn: (work) => void setImmediate(work),
  whenSettled: (work) => process.nextTick(work),
};

class Recorder implements WritingConnection {
  readonly calls: string[] = [];
  failCommit = false;
  readonly #note = (call: string) => void this.calls.push(call);

  begin = () => this.#note('begin');
  rollback = () => this.#note('rollback');
  savepoint = () => this.#note('savepoint');
  releaseSavepoint = () => this.#note('release');
  rollbackToSavepoint = (): boolean => {
    this.#note('rollback to');
    return true;
  };
  commit = () => {
    this.#note('commit');
    if (this.failCommit) throw new Error('no commit');
  };
  all = async () => [];
  get = async () => undefined;
  run = async (text: string) => {
    this.#note(text);
    return 1;
  };
  record = async () => {};
}

function world(times: number[] = []) {
  const connection = new Recorder();
  const clock = { monotonicMs: () => times.shift() ?? 0 };
  const commits = new GroupCommit({ connection, clock, eventLoop: realLoop });
  const write = (name: string) => commits.transact((tx) => tx.run(name));
  return { connection, commits, write };
}

test('on the good path there is one begin, one commit and no savepoint', async () => {
  const { connection, write } = world();

  await Promise.all(['a', 'b', 'c'].map(write));

  expect(connection.calls).toEqual(['begin', 'a', 'b', 'c', 'commit']);
});

test('when one throws, all run again with a savepoint each', async () => {
  const { connection, commits, write } = world();
  const failing = () =>
    commits.transact(async (tx) => {
      await tx.run('b');
      throw new Error('no');
    });

  await Promise.allSettled([write('a'), failing(), write('c')]);

  expect(connection.calls).toEqual([
    ...['begin', 'a', 'b', 'rollback'],
    ...['begin', 'savepoint', 'a', 'release', 'savepoint', 'b', 'rollback to'],
    ...['savepoint', 'c', 'release', 'commit'],
  ]);
});

test('nobody is answered before the commit', async () => {
  const { connection, write } = world();

  await Promise.all(
    ['a', 'b'].map(async (name) => {
      await write(name);
      connection.calls.push(`${name} is answered`);
    }),
  );

  expect(connection.calls).toEqual([
    ...['begin', 'a', 'b', 'commit'],
    ...['a is answered', 'b is answered'],
  ]);
});

test('what takes longer than a millisecond is left to the next batch, in order', async () => {
  // Read at the start, before each but the first, and around the commit.
  const { connection, write } = world([0, 0.5, 1.5, 2, 2, 2, 2.1, 2.1, 2.1]);

  await Promise.all(['a', 'b', 'c', 'd'].map(write));

  expect(connection.calls).toEqual(['begin', 'a', 'b', 'commit', 'begin', 'c', 'd', 'commit']);
});

test('a commit that fails rejects its own batch, and not what was left to the next', async () => {
  const { connection, write } = world([0, 5, 5, 5]);
  connection.failCommit = true;

  const first = write('a');
  const second = write('b');
  const failed = await first.catch(() => {
    connection.failCommit = false;
    return 'failed';
  });

  expect(failed).toBe('failed');
  expect(await second).toBe(1);
  expect(connection.calls).toEqual(['begin', 'a', 'commit', 'rollback', 'begin', 'b', 'commit']);
});
