/**
 * The floor of `relay.files.latency`, a program of its own: it watches one folder, and each
 * file that appears there is read, committed, and written into another by a rename.
 * `bare-file-relay.ts LEDGER OUTBOX INBOX`
 */
import { readFileSync, renameSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBareRelay } from './bare-relay.ts';

const [ledger = '', outbox = '', inbox = ''] = process.argv.slice(2);
const relay = await openBareRelay(ledger);

watch(outbox, (_event, file) => {
  if (file === null || !file.endsWith('.msg')) return;
  const text = readFileSync(join(outbox, file), 'utf8');
  const body = text.slice(text.indexOf('\n\n') + 2);
  relay.commit([{ from: 'jean', to: 'samantha', body, via: 'inbox', file }]);
  const pending = join(inbox, '..', `pending-${file}`);
  writeFileSync(pending, text);
  renameSync(pending, join(inbox, file));
});
process.stdout.write('ready\n');
