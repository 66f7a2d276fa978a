import { expect, test } from 'vitest';
import { checkChannel, parseAddress } from './message.ts';

test.each([
  ['*', { kind: 'everybody' }],
  ['#news', { kind: 'channel', channel: '#news' }],
  ['#2030_plan-b', { kind: 'channel', channel: '#2030_plan-b' }],
  [`#${'c'.repeat(63)}`, { kind: 'channel', channel: `#${'c'.repeat(63)}` }],
  ['Lead', { kind: 'lead' }],
  ['lead', { kind: 'agent', name: 'lead' }],
  ['__orchestrator__', { kind: 'orchestrator' }],
  ['owner', { kind: 'owner' }],
  ['jean-2', { kind: 'agent', name: 'jean-2' }],
])('parseAddress(%j) is that recipient', (to, address) => {
  expect(parseAddress(to)).toEqual(address);
});

test.each([
  [''],
  ['**'],
  ['#'],
  ['#-a'],
  ['#a b'],
  ['#a#b'],
  [`#${'c'.repeat(64)}`],
  ['Owner'],
  ['root'],
  ['__Orchestrator__'],
  ['jean/../lead'],
  ['jean, samantha'],
  ['jean '],
  ['n'.repeat(64)],
])('parseAddress(%j) is refused', (to) => {
  expect(() => parseAddress(to)).toThrow(
    expect.objectContaining({ code: 'message.malformed', fix: expect.any(String) }),
  );
});

test('a refused address says which rule it breaks, in one short line', () => {
  expect(() => parseAddress('2jean')).toThrow(/begins with a letter/);
  expect(() => parseAddress(`\u001b[2J\n${'x'.repeat(1_000_000)}`)).toThrow(/^[ -~…]{1,400}$/);
});

test.each([['#news'], ['#a'], ['#0']])('checkChannel(%j) lets it pass', (name) => {
  expect(() => checkChannel(name)).not.toThrow();
});

test.each([['news'], [''], ['#'], ['##'], ['#é'], ['#a\n']])('checkChannel(%j) refuses', (name) => {
  expect(() => checkChannel(name)).toThrow(expect.objectContaining({ code: 'channel.bad-name' }));
});
