/** What comes from elsewhere stands in frames, as `<message …>` and `</message>`. */

/** A text cannot end its own frame and go on as somebody else, however the end is spelled. */
export function withoutFrames(text: string): string {
  return text.replaceAll(frameEnd, '&lt;');
}

// Between any two letters may stand what nobody sees, and a letter or a bracket may be one of full
// width, as in East Asian texts.
const unseen = String.raw`\p{M}\p{C}\p{Default_Ignorable_Code_Point}\u3164\uffa0`;
const frameEnd = new RegExp(
  String.raw`[<＜﹤](?=[\s/／${unseen}]*(?:${spelled('memory')}|${spelled('message')})(?![\p{L}\p{N}_]))`,
  'giu',
);

function spelled(word: string): string {
  return [...word].map((letter) => `[${letter}${inFullWidth(letter)}]`).join(`[${unseen}]*`);
}

function inFullWidth(letter: string): string {
  return String.fromCodePoint(letter.charCodeAt(0) + 0xfee0);
}

/** As a value between double quotes. */
export function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
