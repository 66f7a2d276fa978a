/**
 * Arguments as models write them: text that should be a JSON object. What is none is handed
 * on under a name that no tool takes, so that the door refuses it and the model reads why.
 */

const malformedKey = '$malformed';
const shownCharacters = 2000;

export function parseArgs(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  const parsed = parseJson(text);
  return isObject(parsed) ? parsed : { [malformedKey]: text.slice(0, shownCharacters) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Said by what is returned: this is no object.
    return undefined;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
