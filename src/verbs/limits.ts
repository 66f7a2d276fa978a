/** Limits of messages on the wire, which both sides know. */
import { messageLimits } from '../kernel/message/message.ts';

/** How long a caller may be kept waiting for mail. */
export const longestWaitMs = 30_000;
export const longestRequestMs = 600_000;
export const usualRequestMs = 60_000;
/** How many messages one look at an inbox, or one mark, may be about. */
export const mostItems = 1000;
/** How many messages one frame may send. */
export const mostInFrame = 256;
/** What a message may take: a character six in JSON, and the other fields their room. */
export const jsonBytes = 6 * messageLimits.wholeBytes + 64 * 1024;
/** A sender may be slowed for so long before it is answered. */
export const patientMs = 40_000;
