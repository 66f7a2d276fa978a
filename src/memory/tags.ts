/** What a run came to. */
export const outcomeTag = 'outcome';
