import { hash } from 'node:crypto';
import { AosError } from '../kernel/errors.ts';
import type { Message } from '../kernel/message/message.ts';

/** Throws when a message has a CHECKSUM that is not the one of its body. */
export function checkChecksum({ checksum, body }: Message): void {
  if (checksum === undefined || checksum === hash('sha256', body)) return;
  throw new AosError('message.checksum', {
    message: 'The CHECKSUM is not the SHA-256 of the bytes behind the blank line',
    fix: 'Write the message again; it was changed on the way, or hashed too early',
  });
}
