import { checkAgentName } from '../agent/agent-name.ts';
import { AosError } from '../errors.ts';
import { malformed, shown } from './fault.ts';

/** Whom a message is for, as its sender wrote it. */
export type Address =
  | { readonly kind: 'agent'; readonly name: string }
  | { readonly kind: 'everybody' }
  /** With its `#`. */
  | { readonly kind: 'channel'; readonly channel: string }
  | { readonly kind: 'lead' }
  | { readonly kind: 'orchestrator' }
  | { readonly kind: 'owner' };

const fixed: ReadonlyMap<string, Address> = new Map<string, Address>([
  ['*', { kind: 'everybody' }],
  ['Lead', { kind: 'lead' }],
  ['__orchestrator__', { kind: 'orchestrator' }],
  ['owner', { kind: 'owner' }],
]);

const lawfulChannel = /^#[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

const channelRule =
  'Write "#", then a letter or digit, then at most 62 letters, digits, "_" or "-", such as "#news"';

/** Throws `message.malformed` for what no message can be sent to. */
export function parseAddress(to: string): Address {
  const known = fixed.get(to);
  if (known !== undefined) return known;
  if (to.startsWith('#')) return channelAddress(to);
  try {
    checkAgentName(to);
  } catch (cause) {
    // Only a bad name is thrown there, and its sentence says which rule it breaks.
    const why = cause instanceof AosError ? `. ${cause.message}` : '';
    throw malformed(
      `No message can be sent to ${shown(to)}${why}`,
      'Write the name of an agent, *, #channel, Lead, owner or __orchestrator__',
      cause,
    );
  }
  return { kind: 'agent', name: to };
}

function channelAddress(to: string): Address {
  if (lawfulChannel.test(to)) return { kind: 'channel', channel: to };
  throw malformed(`No channel can be called ${shown(to)}`, channelRule);
}

/** Throws `channel.bad-name` unless a channel may be called so; the `#` is part of the name. */
export function checkChannel(name: string): void {
  if (lawfulChannel.test(name)) return;
  throw new AosError('channel.bad-name', {
    message: `No channel can be called ${shown(name)}`,
    fix: channelRule,
  });
}
