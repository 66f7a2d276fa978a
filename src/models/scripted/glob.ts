/** `*` stands for any text, `?` for one character; the rest for itself. In linear memory, without regular expressions. */
export function globMatches(glob: string, text: string): boolean {
  let g = 0;
  let t = 0;
  let star = -1;
  let resumeAt = 0;
  while (t < text.length) {
    if (g < glob.length && glob[g] === '*') {
      star = g++;
      resumeAt = t;
    } else if (g < glob.length && (glob[g] === '?' || glob[g] === text[t])) {
      g++;
      t++;
    } else if (star !== -1) {
      // The last star takes one character more.
      g = star + 1;
      t = ++resumeAt;
    } else return false;
  }
  while (glob[g] === '*') g++;
  return g === glob.length;
}
