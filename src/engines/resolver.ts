/** Names of hosts, resolved by the system. */
import { lookup } from 'node:dns/promises';
import { osCodeOf } from '../kernel/disk/errors.ts';
import { AosError } from '../kernel/errors.ts';
import type { Resolver } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';

/** As every other program of this machine finds hosts: its hosts file, then its name servers. */
export const realResolver: Resolver = {
  async resolve(host) {
    try {
      const found = await lookup(host, { all: true, verbatim: true });
      return found.map(({ address }) => address);
    } catch (failure) {
      throw unresolved(host, osCodeOf(failure));
    }
  },
};

function unresolved(host: string, code: string | undefined): AosError {
  return new AosError('http.unreachable', {
    message:
      code === 'EAI_AGAIN'
        ? `The address of ${quote(host)} cannot be found out now: no name server answers`
        : `There is no host ${quote(host)}`,
    fix: 'Check how the name is written, and whether this machine is connected',
  });
}
