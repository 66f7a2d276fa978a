/**
 * A program for tests: writes to a ledger until that is refused, then makes room and goes
 * on. Prints which refusal it was, and whether what was answered is what is there.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toReport } from '../../src/kernel/errors.ts';
import { type Ledger, writeState } from '../../src/ledger/ledger.ts';
import { openTestLedger } from './temporary-ledger.ts';

const [path = ''] = process.argv.slice(2);
const ballast = join(dirname(path), 'ballast');
const answered = new Set<string>();
let number = 0;

async function write(ledger: Ledger): Promise<void> {
  const key = `key-${number++}`;
  await ledger.transact((tx) => writeState(tx, key, 'x'.repeat(500), 1));
  answered.add(key);
}

async function writeUntilRefused(ledger: Ledger): Promise<string> {
  for (;;) {
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => write(ledger)));
    const refused = results.find(({ status }) => status === 'rejected');
    if (refused?.status === 'rejected') return toReport(refused.reason).code;
  }
}

async function fill(): Promise<unknown> {
  await using ledger = await openTestLedger(path, { epoch: 2 });
  writeFileSync(ballast, new Uint8Array(300_000));
  const refused = await writeUntilRefused(ledger);
  rmSync(ballast);
  const after = await write(ledger).then(
    () => 'works',
    (reason: unknown) => toReport(reason).code,
  );
  const rows = await ledger.committed.all<{ key: string }>(
    `select key from orchestrator_state where key <> 'epoch'`,
  );
  const there = new Set(rows.map(({ key }) => key));
  const check = await ledger.committed.get<{ integrity_check: string }>('pragma integrity_check');
  return {
    refused,
    lost: answered.difference(there).size,
    surplus: there.difference(answered).size,
    after,
    integrity: check?.integrity_check,
  };
}

const result = await fill().catch((reason: unknown) => ({ refused: toReport(reason).code }));
process.stdout.write(`${JSON.stringify(result)}\n`);
