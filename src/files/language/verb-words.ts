/** The words for each thing to do. */
import { changingVerbs, givingVerbs } from './changing-verbs.ts';
import type { DeedWords } from './deed.ts';
import { askingVerbs, lookingVerbs } from './looking-verbs.ts';

/** The first that fits is meant: "show" only where nothing else is said. */
export const verbs: readonly DeedWords[] = [
  ...askingVerbs,
  ...changingVerbs,
  ...lookingVerbs,
  ...givingVerbs,
];
