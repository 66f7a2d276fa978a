/** The Python examples of the transfer design as printed, and what the class does beyond them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isInstalled } from '../support/machine.ts';
import type { Run } from '../support/run-aos.ts';
import { deep } from '../support/tier.ts';
import { type Agent, type TransferHome, transferHome } from '../support/transfer-home.ts';

const client = join(import.meta.dirname, '..', '..', 'clients', 'python');

function python(home: TransferHome, who: Agent | 'owner', code: string): Promise<Run> {
  const file = home.folder.at(`${who}.py`);
  writeFileSync(file, code);
  const environment = { ...home.environmentOf(who), PYTHONPATH: client };
  return home.typeIn(environment, `python3 ${file}`);
}

const library = `
from os1_transfer import AgentTransfer

# Initialize
transfer = AgentTransfer(
    sender='samantha',
    aws_profile='os1',  # or use IAM role
    db_connection='postgresql://...'
)

# Send file
transfer_id = transfer.send(
    file_path='/path/to/file.pdf',
    recipient='jared',
    metadata={'context': 'referral spec'}
)

# Receive files
pending = transfer.list_pending()
for file_info in pending:
    local_path = transfer.download(file_info['id'])
    print(f"Downloaded: {local_path}")

# Send from memory (BytesIO)
from io import BytesIO
data = BytesIO(b"file contents")
transfer.send_buffer(
    buffer=data,
    filename='data.txt',
    recipient='jean'
)
`;

const programmatic = `
from os1_transfer import AgentTransfer

# Send generated report
transfer = AgentTransfer(sender='samantha')
report_path = generate_report()
transfer.send(report_path, recipient='jared', metadata={
    'type': 'daily-report',
    'date': '2026-02-28'
})
`;

const hasPython = isInstalled('python3');

// One for all tests with a daemon: none looks at what another has sent.
let served: TransferHome;

beforeAll(async () => {
  served = await transferHome({ withDaemon: true });
});

afterAll(async () => {
  await served?.[Symbol.asyncDispose]();
});

async function runLibrary(home: TransferHome): Promise<void> {
  mkdirSync(home.folder.at('path'));
  writeFileSync(home.folder.at('path', 'file.pdf'), 'the pdf');
  writeFileSync(home.folder.at('news.txt'), 'the news');
  await home.data('jean', 'agent-transfer send news.txt --name for-samantha.txt --to samantha');

  const code = library.replace('/path/to', home.folder.at('path'));
  const run = await python(home, 'owner', code);

  expect(run).toMatchObject({ code: 0 });
  expect(run.stdout).toBe(`Downloaded: ${home.folder.at('for-samantha.txt')}\n`);
  expect(run.stderr).toMatch(/aws_profile is accepted and not used[\s\S]*db_connection is/);
  const list = await home.type('jared', 'agent-transfer list');
  expect(list.stdout).toContain('file.pdf from samantha (7 B)  {"context":"referral spec"}');
  const got = await home.type('jean', 'agent-transfer download-all && cat data.txt');
  expect(got.stdout).toMatch(/file contents$/);
}

async function runProgrammatic(home: TransferHome): Promise<void> {
  writeFileSync(home.folder.at('report.md'), '# Today\n');
  const generate = `def generate_report():\n    return '${home.folder.at('report.md')}'\n`;

  const run = await python(home, 'owner', generate + programmatic);

  expect(run).toMatchObject({ code: 0, stderr: '' });
  const list = await home.type('jared', `agent-transfer list --metadata '{"date":"2026-02-28"}'`);
  expect(list.stdout).toContain('report.md from samantha (8 B)');
}

const examples = [
  { what: 'the library', runExample: runLibrary },
  { what: 'programmatic use', runExample: runProgrammatic },
];

test.for(examples)('the example of $what runs as printed', async ({ runExample }, { skip }) => {
  skip(!hasPython, 'there is no python3');

  await runExample(served);
});

deep.for(examples)('the example of $what runs without a daemon', async (example, { skip }) => {
  skip(!hasPython, 'there is no python3');
  await using home = await transferHome({ withDaemon: false });

  await example.runExample(home);
});

test('what is pending has the columns of the design, and is found by metadata and sender', async ({
  skip,
}) => {
  skip(!hasPython, 'there is no python3');
  const code = `
import json
from io import BytesIO
from os1_transfer import AgentTransfer
samantha = AgentTransfer(sender='samantha')
ids = samantha.send_buffer(BytesIO(b'a'), 'a.txt', ['jared', 'jean'], metadata={'day': 1})
samantha.send_buffer(BytesIO(b'b'), 'b.txt', 'jared', metadata={'day': 2})
jared = AgentTransfer(sender='jared')
[found] = jared.list_pending(metadata={'day': 1}, sender='samantha')
assert found['id'] == ids[0] and len(ids) == 2
print(json.dumps(found))
print(len(jared.list_pending(sender='jean')), jared.status(ids[0])['status'])
`;

  const run = await python(served, 'owner', code);

  expect(run).toMatchObject({ code: 0, stderr: '' });
  const [found = '', rest] = run.stdout.split('\n');
  expect(JSON.parse(found)).toMatchObject({
    ...{ sender: 'samantha', recipient: 'jared', filename: 'a.txt', file_size_bytes: 1 },
    ...{ s3_bucket: 'os1-agent-transfers', metadata: { day: 1 }, status: 'pending' },
    downloaded_at: null,
    s3_key: expect.stringMatching(/^samantha\/jared\/[\d-]+_[\d-]+_\w{6}\/a\.txt$/),
    created_at: expect.any(String),
    expires_at: expect.any(String),
  });
  expect(rest).toBe('0 pending');
});

test('a refusal is an exception with its code, its sentence and what to do', async ({ skip }) => {
  skip(!hasPython, 'there is no python3');
  const code = `
from io import BytesIO
from os1_transfer import AgentTransfer, TransferError
for recipient in ['nobody', 'jared']:
    try:
        AgentTransfer(sender='samantha').send('/nonexistent/file', recipient)
    except TransferError as error:
        print(error.code, bool(error.message))
try:
    AgentTransfer(sender='samantha').send_buffer(BytesIO(b'a'), 'a.txt', 'nobody')
except TransferError as error:
    print(error.code, bool(error.fix))
`;

  const run = await python(served, 'owner', code);

  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout.split('\n').slice(0, 3)).toEqual([
    expect.stringMatching(/ True$/),
    expect.stringMatching(/ True$/),
    'transfer.no-recipient True',
  ]);
});

test('progress is told while a large file goes, and the file is the same', async ({ skip }) => {
  skip(!hasPython, 'there is no python3');
  const bytes = Buffer.alloc(20_000_000, 'some words ');
  writeFileSync(served.folder.at('large.bin'), bytes);
  const code = `
from os1_transfer import AgentTransfer
told = []
sent = AgentTransfer(sender='samantha').send(
    'large.bin', 'jared', progress=lambda *facts: told.append(facts))
path = AgentTransfer(sender='jared').download(sent, dest='downloads')
print(path, len(told) > 0 and all(len(facts) == 3 for facts in told))
`;

  const run = await python(served, 'owner', code);

  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).toBe(`${served.folder.at('downloads', 'large.bin')} True\n`);
  expect(readFileSync(served.folder.at('downloads', 'large.bin')).equals(bytes)).toBe(true);
});
