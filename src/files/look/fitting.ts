/** As many of them, from the first, as an answer may have. */
export function fitting<T>(
  all: readonly T[],
  answerBytes: number,
): { readonly kept: readonly T[]; readonly isCut: boolean } {
  // The rest of an answer takes little.
  let room = answerBytes - 64 * 1024;
  for (const [index, one] of all.entries()) {
    room -= Buffer.byteLength(JSON.stringify(one)) + 1;
    if (room < 0) return { kept: all.slice(0, index), isCut: true };
  }
  return { kept: all, isCut: false };
}
