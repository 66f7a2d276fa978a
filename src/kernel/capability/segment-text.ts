/**
 * One part of a path. A character that means something to capabilities is written as `%` and
 * two digits. No other is, so that there is one way to write each, and none to write a slash.
 */
import { BrokenRule } from './capability-fault.ts';

const longestNameBytes = 255;

export function parseSegmentName(text: string): string {
  const name = decode(text);
  if (name === '') throw new BrokenRule('its path has an empty part');
  if (name === '.' || name === '..') throw new BrokenRule(`its path has a part ${name}`);
  if (Buffer.byteLength(name) > longestNameBytes) {
    throw new BrokenRule(`a part of its path has more than ${longestNameBytes} bytes`);
  }
  return name;
}

/** Among them what ends a target in either spelling. */
const mustEncode = '%:{}*?&=,# "\\';

function decode(text: string): string {
  for (const character of text) {
    if (character !== '%' && mustEncode.includes(character)) {
      const code = encodeCharacter(character);
      throw new BrokenRule(`its path has ${JSON.stringify(character)}`, `Write it as ${code}`);
    }
  }
  return text.replace(/%(.{0,2})/gsu, (whole, digits: string) => {
    const code = /^[0-9A-F]{2}$/.test(digits) ? Number.parseInt(digits, 16) : -1;
    const character = String.fromCharCode(code);
    if (code > 0 && mustEncode.includes(character)) return character;
    throw new BrokenRule(`nothing is written as ${whole} here`);
  });
}

export function encode(name: string): string {
  return Array.from(name, (character) =>
    mustEncode.includes(character) ? encodeCharacter(character) : character,
  ).join('');
}

function encodeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
