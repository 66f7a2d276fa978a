/** kill -9 never loses what the system holds in memory, so the order of the calls is looked at. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { flushViolations, tracedCalls } from '../support/flush-violations.ts';
import { isInstalled } from '../support/machine.ts';
import { runProgram } from '../support/run-aos.ts';
import { startDaemon } from '../support/running-daemon.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const program = join(import.meta.dirname, '..', 'support', 'answer-writes.ts');
const writes = 80;

describe.runIf(isInstalled('strace'))('strace shows', () => {
  test('a flush of the log between each write to the ledger and its answer', async () => {
    const { violations, answers } = await traceWrites();

    expect(violations).toEqual([]);
    expect(answers).toBe(writes);
  });

  test('every answer as too early when the flush is left out', async () => {
    const { violations, answers } = await traceWrites('without-flush');

    expect(violations).toHaveLength(writes);
    expect(violations[0]).toContain('was answered before what was written was flushed');
    expect(answers).toBe(writes);
  });

  test('the flush before the daemon says over HTTP that an agent is registered', async () => {
    await using folder = temporaryFolder();
    const trace = folder.at('trace');
    const through = ['strace', '-f', '-y', '-e', tracedCalls, '-o', trace];
    await using daemon = await startDaemon(folder.at('home'), { through });
    const names = Array.from({ length: 8 }, (_, number) => `agent-${number}`);

    await daemon.client.register('first');
    await Promise.all(names.map((name) => daemon.client.register(name)));

    await daemon.stop();
    const text = readFileSync(trace, 'utf8');
    const answers = /write\w*\((\d+)<.*"HTTP\/1\.1 201 /;
    const asks = /(?:read|recv\w*)\((\d+)<.*"POST \/api\/v1\/agents /;
    expect(flushViolations(text, { log: 'ledger.db-wal', asks, answers })).toEqual([]);
    expect(text.match(new RegExp(answers, 'g'))).toHaveLength(1 + names.length);
  });
});

async function traceWrites(...choices: readonly string[]) {
  await using folder = temporaryFolder();
  const trace = folder.at('trace');
  const traced = ['-f', '-y', '-e', tracedCalls, '-o', trace, process.execPath, program];

  const run = await runProgram('strace', [...traced, folder.at('ledger.db'), ...choices]);

  expect(run).toMatchObject({ code: 0, stderr: '' });
  const violations = flushViolations(readFileSync(trace, 'utf8'), {
    log: 'ledger.db-wal',
    asks: /write\(1<.*"ask (\S+)\\n/,
    answers: /write\(1<.*"answer (\S+)\\n/,
  });
  return { violations, answers: run.stdout.match(/^answer /gm)?.length };
}
