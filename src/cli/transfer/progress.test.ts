import { expect, test } from 'vitest';
import type { Terminal } from '../core/report.ts';
import { progressView, type SendProgress } from './progress.ts';

/** A terminal on which somebody looks, or not, and a clock that the test moves. */
function stage(look: { readonly errIsTerminal: boolean; readonly json: boolean }) {
  const said: string[] = [];
  let nowMs = 0;
  const terminal: Terminal = {
    out: () => {},
    err: (text) => void said.push(text),
    ...{ colorOut: false, colorErr: false, columns: 80 },
    errIsTerminal: look.errIsTerminal,
    input: { isTerminal: false, read: async function* () {} },
  };
  const view = progressView({ terminal, clock: { monotonicMs: () => nowMs }, json: look.json });
  const at = (ms: number, doneBytes: number, totalBytes: number | null = 10_000_000): void => {
    nowMs = ms;
    view.show({ phase: 'sending', doneBytes, totalBytes });
  };
  return { said, view, at };
}

test('on a terminal it is one line, drawn ten times a second at most, and gone at the end', () => {
  const { said, view, at } = stage({ errIsTerminal: true, json: false });

  for (let ms = 0; ms <= 1000; ms += 10) at(ms, ms * 5000);
  view[Symbol.dispose]();

  expect(said).toHaveLength(12);
  expect(said.every((text) => text.startsWith('\r') && !text.includes('\n'))).toBe(true);
  expect(said.at(-2)).toBe(
    '\rsending  [##########..........]  50 %  5.0 MB of 10.0 MB  5.0 MB/s  1 s left\u001b[K',
  );
  expect(said.at(-1)).toBe('\r\u001b[K');
});

test('what an earlier try has done does not count for the rate', () => {
  const { said, at } = stage({ errIsTerminal: true, json: false });

  at(0, 8_000_000);
  at(1000, 9_000_000);

  expect(said.at(-1)).toContain('1.0 MB/s  1 s left');
});

test('of a stream nobody knows the end', () => {
  const { said, at } = stage({ errIsTerminal: true, json: false });

  at(0, 0, null);
  at(1000, 2_000_000, null);

  expect(said.at(-1)).toBe('\rsending  2.0 MB  2.0 MB/s\u001b[K');
});

test('for a program it is JSON, twice a second at most', () => {
  const { said, at } = stage({ errIsTerminal: false, json: true });

  for (let ms = 0; ms <= 1000; ms += 10) at(ms, ms);

  expect(said.map((line) => JSON.parse(line))).toEqual(
    [0, 500, 1000].map((done_bytes) => ({
      progress: { phase: 'sending', done_bytes, total_bytes: 10_000_000 },
    })),
  );
});

test('else nothing is said', () => {
  const { said, view, at } = stage({ errIsTerminal: false, json: false });
  const phases: SendProgress['phase'][] = ['reading', 'sending'];

  at(0, 1);
  for (const phase of phases) view.show({ phase, doneBytes: 1, totalBytes: 2 });
  view[Symbol.dispose]();

  expect(said).toEqual([]);
});
