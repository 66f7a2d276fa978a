import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PhotoSays, photoBytes } from '../../../tests/support/photo-bytes.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { times } from '../../../tests/support/tier.ts';
import { openTimeZone } from '../time-zone.ts';
import { type Photo, readPhoto } from './photo.ts';

const berlin = openTimeZone('Europe/Berlin');

async function photo(content: PhotoSays | Uint8Array): Promise<Photo> {
  await using folder = temporaryFolder();
  const bytes = content instanceof Uint8Array ? content : photoBytes(content);
  writeFileSync(folder.at('a.jpg'), bytes);
  return readPhoto(folder.at('a.jpg'), berlin);
}

describe('a photo was taken', () => {
  test('at the time that it says, in the zone of the machine', async () => {
    const { takenAt } = await photo({ taken: '2024:07:06 07:08:09' });

    expect(takenAt).toBe(Date.parse('2024-07-06T07:08:09+02:00'));
  });

  test('at the time that it says, in the zone that it says', async () => {
    const { takenAt } = await photo({ taken: '2024:07:06 07:08:09', offset: '-05:00' });

    expect(takenAt).toBe(Date.parse('2024-07-06T07:08:09-05:00'));
  });

  test.each([
    ['zeros', '0000:00:00 00:00:00'],
    ['no day of the calendar', '2024:02:31 10:00:00'],
    ['no hour', '2024:02:01 25:00:00'],
    ['words', 'yesterday at noon'],
    ['nothing', '                   '],
  ])('at no time that is known where it says %s', async (_what, taken) => {
    expect((await photo({ taken })).takenAt).toBeUndefined();
  });

  test('at no time that is known where it says none', async () => {
    expect((await photo({ model: 'Camera' })).takenAt).toBeUndefined();
  });

  test('in the zone of the machine where the one that it says is none', async () => {
    const { takenAt } = await photo({ taken: '2024:07:06 07:08:09', offset: '+99:99' });

    expect(takenAt).toBe(Date.parse('2024-07-06T07:08:09+02:00'));
  });
});

test('a photo says what it was taken with, and no more than so much', async () => {
  const { says } = await photo({ model: `Camera ${'x'.repeat(500)}` });

  expect(says).toMatchObject({ camera: expect.stringMatching(/^Camera x+$/) });
  expect(String(says?.['camera'])).toHaveLength(100);
});

test('nothing that stands in a file makes reading it fail', async () => {
  const whole = photoBytes({ taken: '2024:07:06 07:08:09', offset: '+02:00', model: 'Camera' });
  const change = fc.record({ at: fc.nat(whole.length - 1), to: fc.nat(255) });

  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 8 }),
      fc.nat(whole.length),
      async (changes, length) => {
        const bytes = Buffer.from(whole);
        for (const { at, to } of changes) bytes[at] = to;

        const { takenAt } = await photo(length < 20 ? bytes : bytes.subarray(0, length));

        expect(takenAt === undefined || Number.isFinite(takenAt)).toBe(true);
      },
    ),
    { numRuns: times({ fast: 60, full: 300 }) },
  );
});
