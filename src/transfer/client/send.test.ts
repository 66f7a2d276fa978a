import { expect, test } from 'vitest';
import { worksHere } from '../../blobs/seal/stretch.ts';
import { realClock, realRandom } from '../../engines/clock.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { requestFor, type TransferSendDeps } from './send.ts';

const deps: TransferSendDeps = {
  ...{ disk: realDisk, clock: realClock, random: realRandom, as: 'samantha', isOwner: true },
  processes: { selfPid: 7, startTimeOf: () => 'then' },
  use: () => Promise.reject(new Error('nobody is asked')),
  openWorks: () => worksHere(),
};

test.each([
  ['file', 'research.pdf', undefined, 'application/pdf'],
  ['stream', 'logs.tar.gz', undefined, 'application/gzip'],
  ['file', 'Makefile', undefined, undefined],
  ['folder', 'backup.zip', undefined, undefined],
  ['file', 'research.pdf', 'text/x-mine', 'text/x-mine'],
  ['folder', 'site', 'text/html', 'text/html'],
] as const)('a %s "%s" said to be %s is wished for as %s', (kind, filename, mimeType, wished) => {
  const options = { to: 'jared', mimeType };

  const wish = requestFor(deps, { kind, filename }, { measured: undefined, options });

  expect(wish.mime_type).toBe(wished);
});

test('who is not the owner does not say who writes', () => {
  const source = { kind: 'file', filename: 'a.md' } as const;
  const options = { to: ['jared', 'jean'] };

  const own = requestFor(deps, source, { measured: undefined, options });
  const other = requestFor({ ...deps, isOwner: false }, source, { measured: undefined, options });

  expect(own).toMatchObject({ writer: { pid: 7, started: 'then' }, to: ['jared', 'jean'] });
  expect(other.writer).toBeUndefined();
});
