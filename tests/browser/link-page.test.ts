/** The page behind a link, in Chromium, served by a real daemon. */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/machine.ts';
import { type TransferHome, transferHome } from '../support/transfer-home.ts';

interface Stage extends AsyncDisposable {
  readonly home: TransferHome;
  readonly page: Page;
}

async function stage(): Promise<Stage> {
  await using opened = new AsyncDisposableStack();
  const home = opened.use(await transferHome({ withDaemon: true }));
  const executablePath = chromiumPath ?? '';
  // As root it has no sandbox of its own; it opens nothing but our page.
  const env = { ...home.environmentOf('owner'), AOS_TEST_MARK: process.env['AOS_TEST_MARK'] ?? '' };
  const args = ['--no-sandbox'];
  const browser: Browser = await chromium.launch({ executablePath, args, env });
  opened.defer(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 400, height: 700 } });
  const kept = opened.move();
  return { home, page, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function linkOf(home: TransferHome, line: string): Promise<string> {
  const { url } = await home.data('samantha', `agent-transfer ${line}`);
  return String(url);
}

async function downloadIn(page: Page): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

describe.skipIf(chromiumPath === undefined)('the page of a link', () => {
  test('downloads and opens 20 MiB, the very bytes', async () => {
    await using opened = await stage();
    const { home, page } = opened;
    const bytes = randomBytes(20 * 2 ** 20);
    writeFileSync(home.folder.at('large.bin'), bytes);

    await page.goto(await linkOf(home, 'link ./large.bin'));
    const got = await downloadIn(page);

    expect(got.name).toBe('large.bin');
    expect(got.bytes.equals(bytes)).toBe(true);
    expect(await page.getByRole('status').textContent()).toContain('It is whole, 21.0 MB');
  });

  test('downloads what is not sealed, without a key', async () => {
    await using opened = await stage();
    const { home, page } = opened;
    writeFileSync(home.folder.at('plain.txt'), 'plain words');
    const { id } = await home.data('samantha', 'agent-transfer send plain.txt --to jared --plain');

    await page.goto(await linkOf(home, `link ${id}`));
    const got = await downloadIn(page);

    expect(got.bytes.toString()).toBe('plain words');
  });

  test('says so when the key is wrong or missing, and uses nothing up', async () => {
    await using opened = await stage();
    const { home, page } = opened;
    writeFileSync(home.folder.at('note.txt'), 'words');
    const [address = '', key = ''] = (await linkOf(home, 'link ./note.txt')).split('#');
    const wrong = key.startsWith('A') ? `B${key.slice(1)}` : `A${key.slice(1)}`;

    await page.goto(`${address}#${wrong}`);
    const alert = page.getByRole('alert');
    await alert.waitFor();
    const forWrong = await alert.textContent();
    await page.goto('about:blank');
    await page.goto(address);
    await alert.waitFor();
    const forMissing = await alert.textContent();
    await page.goto('about:blank');
    await page.goto(`${address}#${key}`);
    const got = await downloadIn(page);

    expect(forWrong).toContain('is not the key of this file');
    expect(forMissing).toContain('The key is missing');
    expect(got.bytes.toString()).toBe('words');
  });

  test('says so when the link is used up, or never was', async () => {
    await using opened = await stage();
    const { home, page } = opened;
    writeFileSync(home.folder.at('note.txt'), 'words');
    const link = await linkOf(home, 'link ./note.txt --max-downloads 1');
    await page.goto(link);
    await downloadIn(page);

    await page.goto('about:blank');
    await page.goto(link);
    const alert = page.getByRole('alert');
    await alert.waitFor();

    expect(await alert.textContent()).toContain('it was used up, has expired, or was taken back');
    expect(await page.getByRole('button', { name: 'Download' }).isVisible()).toBe(false);
  });

  test('opens for somebody who follows it from another site', async () => {
    await using opened = await stage();
    const { home, page } = opened;
    writeFileSync(home.folder.at('note.txt'), 'words');
    const link = await linkOf(home, 'link ./note.txt');
    // Fulfilled by the test: no other site is asked for anything.
    const body = `<!doctype html><a href="${link}">the file</a>`;
    await page.route('http://mail.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body }),
    );

    await page.goto('http://mail.example/');
    await page.getByRole('link', { name: 'the file' }).click();
    const got = await downloadIn(page);

    expect(got.bytes.toString()).toBe('words');
  });

  test('sends a file to an agent, once, sealed in the browser', async () => {
    await using opened = await stage();
    const { home, page } = opened;
    const bytes = randomBytes(3_000_000);
    const { url } = await home.data('jean', 'agent-transfer upload-link --ttl 1h');

    await page.goto(String(url));
    const chosen = { name: 'für jean.bin', mimeType: 'application/octet-stream', buffer: bytes };
    await page.getByLabel('The file to send').setInputFiles(chosen);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('You can close this page').waitFor();
    await page.reload();
    const alert = page.getByRole('alert');
    await alert.waitFor();
    const got = await home.type('jean', 'agent-transfer download-all --dest downloads');

    expect(await alert.textContent()).toContain('used up');
    expect(got.stdout).toContain('für jean.bin');
    expect(readFileSync(home.folder.at('downloads', 'für jean.bin')).equals(bytes)).toBe(true);
  });

  test('refuses a file that is larger than the link takes, before it is read', async () => {
    await using opened = await stage();
    const { home, page } = opened;
    const { url } = await home.data('jean', 'agent-transfer upload-link --max-size 1k');

    await page.goto(String(url));
    const chosen = { name: 'a.bin', mimeType: 'x/y', buffer: Buffer.alloc(2000) };
    await page.getByLabel('The file to send').setInputFiles(chosen);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const alert = page.getByRole('alert');
    await alert.waitFor();

    expect(await alert.textContent()).toBe(
      'The file has 2.0 kB, and the link takes at most 1.0 kB.',
    );
  });
});
