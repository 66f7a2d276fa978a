/** Without the blanks at the end of each line that an empty last column leaves. */
export function trimLines(text: string): string {
  return text.replaceAll(/ +$/gm, '');
}
