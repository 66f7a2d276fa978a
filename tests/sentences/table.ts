/** What people say to the file agent, and what is expected of it. */
import { changing } from './changing.ts';
import { declining } from './declining.ts';
import { looking } from './looking.ts';
import { type Row, rowsOf } from './rows.ts';
import { sentenceWorld } from './world.ts';

export const sentences: readonly Row[] = [looking, changing, declining].flatMap((text) =>
  rowsOf(text, sentenceWorld.zone),
);
