/** Which file is meant by a text that is taken as it stands, or by a regular expression. */
import { byScore, type Candidate, type Ranked, type RankOptions, withDate } from './score.ts';

export type NameFit = 'whole' | 'part' | 'none';

export interface AsItStands {
  /** In reasons. */
  readonly shown: string;
  /** How much of a name it is. */
  nameFit(name: string): NameFit;
}

const nameStrength: Readonly<Record<NameFit, number>> = { whole: 0.95, part: 0.7, none: 0 };

/** The likeliest first; without those in which it is not found. */
export function rankAsItStands<C extends Candidate>(
  { shown, nameFit }: AsItStands,
  candidates: readonly C[],
  options: RankOptions,
): Ranked<C>[] {
  const ranked: Ranked<C>[] = [];
  for (const candidate of candidates) {
    const byName = nameStrength[nameFit(candidate.name)];
    const [count = 0] = candidate.counts ?? [];
    const byContent = count === 0 ? 0 : 0.4 + 0.25 * Math.min(1, Math.log2(count) / 5);
    if (byName === 0 && byContent === 0) continue;
    const why = () => [
      ...(byName > 0 ? [`name has ${shown}`] : []),
      ...(byContent > 0 ? [`content has ${shown}`] : []),
    ];
    const score = 1 - (1 - byName) * (1 - byContent);
    ranked.push({ candidate, ...withDate(score, why, candidate.modifiedAt, options) });
  }
  return ranked.sort(byScore);
}
