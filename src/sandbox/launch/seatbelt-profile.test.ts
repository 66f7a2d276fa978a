import { expect, test } from 'vitest';
import type { SandboxView } from '../../kernel/sandbox.ts';
import { seatbeltProfile } from './seatbelt-profile.ts';

const view: SandboxView = {
  principal: 'agent:jean',
  uid: undefined,
  workspace: '/Users/u/.agent-relay/agents/jean/workspace',
  sees: [],
  unixSockets: false,
};

test('what is not listed is denied, and there is no network', () => {
  const profile = seatbeltProfile(view, { proxyPort: undefined });

  expect(profile).toContain('(deny default)');
  expect(profile).not.toContain('network');
  expect(profile).toContain(`(subpath "${view.workspace}")`);
});

test('one port of this machine is all of the network that there can be', () => {
  const profile = seatbeltProfile(view, { proxyPort: 4711 });

  expect(profile.match(/network/g)).toHaveLength(1);
  expect(profile).toContain('(remote ip "localhost:4711")');
});

test('a path cannot end its quotation', () => {
  const from = '/srv/") (allow default) ("\\';

  const profile = seatbeltProfile(
    { ...view, sees: [{ from, to: from, writable: false }] },
    { proxyPort: undefined },
  );

  expect(profile).toContain('(subpath "/srv/\\") (allow default) (\\"\\\\")');
});
