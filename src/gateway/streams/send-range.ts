/**
 * Stored bytes, or the part of them that "Range" asks for, or nothing for who has them already
 * (RFC 9110). They never change under one hash, so the hash is their tag.
 */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AosError } from '../../kernel/errors.ts';
import type { GatewayLog } from '../server/deps.ts';

export interface RangedBytes {
  readonly hash: string;
  /** Of the whole. */
  readonly sizeBytes: number;
  open(part: AskedRange): Promise<AsyncIterable<Uint8Array>>;
}

/** From the first to the one before `to`. */
export interface AskedRange {
  readonly from: number;
  readonly to: number;
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export async function sendRange(
  { log }: { readonly log: GatewayLog },
  { request, reply }: Exchange,
  { hash, sizeBytes, open }: RangedBytes,
): Promise<FastifyReply> {
  const { 'if-none-match': known } = request.headers;
  const etag = `"${hash}"`;
  void reply.header('etag', etag).header('accept-ranges', 'bytes');
  if (known !== undefined && namesTag(known, etag)) {
    return reply.removeHeader('content-type').code(304).send();
  }
  const part = wantedPart(request, etag, sizeBytes);
  if (part === 'nothing') {
    return reply.code(416).header('content-range', `bytes */${sizeBytes}`).send('');
  }
  const { from, to } = part === 'whole' ? { from: 0, to: sizeBytes } : part;
  void reply.header('content-length', String(to - from));
  if (request.method === 'HEAD') return reply.send();
  // What cannot be opened is answered in words, which are no part of anything.
  const bytes = await open({ from, to });
  if (part !== 'whole') {
    void reply.code(206).header('content-range', `bytes ${from}-${to - 1}/${sizeBytes}`);
  }
  // Bytes that turn out to be others end the connection before their last one.
  const body = Readable.from(bytes, { objectMode: false });
  body.on('error', (error) => {
    // A reader that left, or may have them no more, is not logged.
    if (!(error instanceof AosError) || error.code.startsWith('capability.')) return;
    log.error({ err: error, hash, request_id: request.id }, 'stored bytes broke off');
  });
  return reply.send(body);
}

/** Whether a list of tags, or `*`, has this one. Strong or weak is no matter here. */
export function namesTag(list: string, etag: string): boolean {
  if (list.trim() === '*') return true;
  // A comma may stand in a tag, and a quote may not.
  return [...list.matchAll(/"[^"]*"/g)].some(([tag]) => tag === etag);
}

/** A range is about GET alone; one that was asked for of other bytes is asked for of none. */
function wantedPart(
  { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
  etag: string,
  sizeBytes: number,
): AskedRange | 'whole' | 'nothing' {
  const { range, 'if-range': ifRange } = headers;
  const isAsked = method === 'GET' && range !== undefined;
  if (!isAsked || (ifRange !== undefined && ifRange !== etag)) return 'whole';
  return partOf(range, sizeBytes);
}

/** What is not understood, and several parts at once, is as if it were not there. */
export function partOf(range: string, sizeBytes: number): AskedRange | 'whole' | 'nothing' {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(range) ?? [];
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    const from = Math.max(0, sizeBytes - Number(last));
    return from < sizeBytes ? { from, to: sizeBytes } : 'nothing';
  }
  const from = Number(first);
  const to = last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes);
  if (last !== '' && Number(last) < from) return 'whole';
  return from < sizeBytes ? { from, to } : 'nothing';
}
