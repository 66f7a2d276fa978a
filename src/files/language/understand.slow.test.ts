import { describe, expect, test } from 'vitest';
import { sentenceWorld } from '../../../tests/sentences/world.ts';
import { understand } from './understand.ts';

const say = (sentence: string) => understand(sentence, sentenceWorld);

describe('a hostile sentence is read in time:', () => {
  const units = [
    ...[
      'a ',
      'the ',
      'and ',
      'in ',
      'to ',
      'not ',
      '1 ',
      'last ',
      'older than ',
      '"',
      "'",
      '" ',
      '.',
    ],
    ...[
      'a.',
      '*',
      '*.a ',
      '/',
      '~/a ',
      'pdf ',
      'that ',
      'i ',
      'from march to ',
      'between 1 and ',
      '-',
    ],
    ...['except pdf and ', 'called ', 'Downloads and ', '1,1', '\u0301', 'e\u0301', '\ud800', ' '],
  ];

  test.each(units)('%j, again and again', (unit) => {
    for (const head of ['', 'delete ', 'find ', 'rename x to ']) {
      const whole = `${head}${unit.repeat(2000)}`.slice(0, 2000);
      const words = `${head}${unit.repeat(190)}`.slice(0, 2000);

      expect(['understood', 'asks-back', 'refused']).toContain(say(whole).kind);
      expect(['understood', 'asks-back', 'refused']).toContain(say(words).kind);
    }
  });
});
