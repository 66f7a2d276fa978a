/**
 * The reason of an abort that only ends a wait, and that nobody looks at. Made once: the one
 * that the system makes for every abort without a reason takes as long as a file.
 */
export const early: Error = new Error('The wait was ended early');
