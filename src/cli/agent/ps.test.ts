import { expect, test } from 'vitest';
import type { WireAgent } from '../../gateway/contract/contract.ts';
import { agentTree } from './ps.ts';

function agent(name: string, parent: string | null = null): WireAgent {
  return {
    ...{ name, parent, address: '0x0', status: 'active', state: 'running', body: 'model' },
    ...{ registered_at: '2026-01-01T00:00:00.000Z', last_seen_at: null, state_at: null },
    ...{ reason: null, health: null, pid: null, model: null, sandbox: null, tokens: 0, cost: 0 },
  };
}

function placesOf(...agents: readonly WireAgent[]): readonly string[] {
  return agentTree(agents).map(({ agent: { name }, depth }) => `${depth} ${name}`);
}

test('agentTree() puts children below their parents', () => {
  const places = placesOf(
    agent('a'),
    agent('b'),
    agent('c', 'a'),
    agent('d', 'c'),
    agent('e', 'a'),
  );

  expect(places).toEqual(['0 a', '1 c', '2 d', '1 e', '0 b']);
});

test('agentTree() shows a child whose parent is not in the list', () => {
  expect(placesOf(agent('b', 'gone'))).toEqual(['0 b']);
});

test('agentTree() leaves out nobody whose parents go in a ring', () => {
  expect(placesOf(agent('a', 'b'), agent('b', 'a'), agent('c'))).toEqual(['0 c', '0 a', '0 b']);
});

test('agentTree() takes a chain of 20,000 in its stride', () => {
  const chain = Array.from({ length: 20_000 }, (_, place) =>
    agent(`a${place}`, place === 0 ? null : `a${place - 1}`),
  );

  expect(agentTree(chain).at(-1)).toMatchObject({ depth: 19_999 });
});
