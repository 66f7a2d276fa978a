/** What comes from elsewhere stands in frames, as `<message …>` and `</message>`. */

/** A text cannot end its own frame and go on as somebody else, however the end is spelled. */
export function withoutFrames(text: string): string {
  return text.replaceAll(/<(?=[\s\p{C}/]*(?:memory|message)\b)/giu, '&lt;');
}

/** As a value between double quotes. */
export function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
