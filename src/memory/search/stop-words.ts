/** Words that say nothing of what is looked for: every text has them. */
const stopWords = new Set(
  [
    'a about am an and any are aren as at be because been being but by can could couldn did didn',
    'do does doesn doing don done for from had hadn has hasn have haven having he her hers him his',
    'how i if in into is isn it its ll me my no nor not of on or our ours re s shall she should',
    'shouldn so t than that the their theirs them then there these they this those to too us ve',
    'very was wasn we were weren what when where which while who whom whose why will with would',
    'wouldn you your yours',
  ].flatMap((line) => line.split(' ')),
);

export function isStopWord(folded: string): boolean {
  return stopWords.has(folded);
}
