/** Appendix A of the design of the relay, byte for byte. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limitMs } from '../support/limits.ts';
import { lookIntoInbox } from '../support/message-files.ts';
import { type RelayHome, relayHome } from '../support/relay-home.ts';
import { type Run, runProgram } from '../support/run-aos.ts';
import { isFull } from '../support/tier.ts';
import { until } from '../support/until.ts';

const script = join(import.meta.dirname, '..', 'support', 'appendix-a.sh');
const runs = isFull ? 2000 : 25;
const atOnce = 8;

describe('the script of the seed, as printed,', () => {
  // One for all: each test has a lead of its own.
  let relay: RelayHome;

  beforeAll(async () => {
    relay = await relayHome();
  });

  afterAll(async () => {
    await relay?.[Symbol.asyncDispose]();
  });

  const runScript = (agent: string): Promise<Run> =>
    runProgram('bash', [script], { env: { HOME: relay.folder.path, AGENT_RELAY_NAME: agent } });

  test(
    `reaches Lead ${runs} times of ${runs} for a registered agent`,
    async () => {
      await relay.daemon.client.register('boss');
      await relay.daemon.client.register('worker');
      await relay.daemon.client.setLead('boss');

      for (let run = 0; run < runs; run++) {
        expect(await runScript('worker')).toMatchObject({ code: 0, stderr: '' });
      }

      await expectAtLead('boss', (number) => number < runs && 'worker');
    },
    limitMs(600_000),
  );

  test(
    `reaches Lead ${runs} times of ${runs} for agents that nobody knew`,
    async () => {
      await relay.daemon.client.register('chief');
      await relay.daemon.client.setLead('chief');
      let next = 0;
      const runSome = async (): Promise<void> => {
        while (next < runs) {
          const run = await runScript(`new-${next++}`);
          expect(run).toMatchObject({ code: 0, stderr: '' });
        }
      };

      await Promise.all(Array.from({ length: atOnce }, runSome));

      await expectAtLead('chief', (number) => number < runs && `new-${number}`);
    },
    limitMs(600_000),
  );

  test('is the one in docs/relay.md', () => {
    const document = readFileSync(join(import.meta.dirname, '../../docs/relay.md'), 'utf8');

    expect(document).toContain(`\`\`\`bash\n${readFileSync(script, 'utf8')}\`\`\`\n`);
  });

  /** Every one of them once, and nothing else. */
  async function expectAtLead(
    lead: string,
    senderOf: (number: number) => string | false,
  ): Promise<void> {
    const senders = Array.from({ length: runs }, (_, number) => senderOf(number));
    await until(() => expect(lookIntoInbox(relay.home, lead)).toHaveLength(runs));
    const found = lookIntoInbox(relay.home, lead);
    expect(found.map(({ headers }) => headers['FROM']).sort()).toEqual(senders.sort());
    expect(new Set(found.map(({ headers }) => headers['ID'])).size).toBe(runs);
    expect(new Set(found.map(({ body }) => body))).toEqual(
      new Set(['ACK: Task received and understood.\n']),
    );
  }
});
