/** Appendix A of the design of the relay, byte for byte. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { lookIntoInbox } from '../support/message-files.ts';
import { type RelayHome, relayHome } from '../support/relay-home.ts';
import { type Run, runProgram } from '../support/run-aos.ts';

const script = join(import.meta.dirname, '..', 'support', 'appendix-a.sh');
const runs = process.env['AOS_TEST_FULL'] === '1' ? 2000 : 200;
const atOnce = 8;

const waitFor = <T>(look: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(look, { timeout: 20_000, interval: 20 });

describe('the script of the seed, as printed,', () => {
  const runScript = ({ folder }: RelayHome, agent: string): Promise<Run> =>
    runProgram('bash', [script], { env: { HOME: folder.path, AGENT_RELAY_NAME: agent } });

  test(`reaches Lead ${runs} times of ${runs} for a registered agent`, async () => {
    await using relay = await relayHome('boss', 'worker');
    await relay.daemon.client.setLead('boss');

    for (let run = 0; run < runs; run++) {
      expect(await runScript(relay, 'worker')).toMatchObject({ code: 0, stderr: '' });
    }

    await expectAtLead(relay, (number) => number < runs && 'worker');
  }, 600_000);

  test(`reaches Lead ${runs} times of ${runs} for agents that nobody knew`, async () => {
    await using relay = await relayHome('boss');
    await relay.daemon.client.setLead('boss');
    let next = 0;
    const runSome = async (): Promise<void> => {
      while (next < runs) {
        const run = await runScript(relay, `new-${next++}`);
        expect(run).toMatchObject({ code: 0, stderr: '' });
      }
    };

    await Promise.all(Array.from({ length: atOnce }, runSome));

    await expectAtLead(relay, (number) => number < runs && `new-${number}`);
  }, 600_000);

  test('is the one in docs/relay.md', () => {
    const document = readFileSync(join(import.meta.dirname, '../../docs/relay.md'), 'utf8');

    expect(document).toContain(`\`\`\`bash\n${readFileSync(script, 'utf8')}\`\`\`\n`);
  });

  /** Every one of them once, and nothing else. */
  async function expectAtLead(
    { home }: RelayHome,
    senderOf: (number: number) => string | false,
  ): Promise<void> {
    const senders = Array.from({ length: runs }, (_, number) => senderOf(number));
    await waitFor(() => expect(lookIntoInbox(home, 'boss')).toHaveLength(runs));
    const found = lookIntoInbox(home, 'boss');
    expect(found.map(({ headers }) => headers['FROM']).sort()).toEqual(senders.sort());
    expect(new Set(found.map(({ headers }) => headers['ID'])).size).toBe(runs);
    expect(new Set(found.map(({ body }) => body))).toEqual(
      new Set(['ACK: Task received and understood.\n']),
    );
  }
});
