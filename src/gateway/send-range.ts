/** Stored bytes, or the part of them that "Range" asks for (RFC 9110). */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayLog } from './deps.ts';

export interface StoredBytes {
  readonly hash: string;
  /** Of the whole. */
  readonly sizeBytes: number;
  open(part: Part): Promise<AsyncIterable<Uint8Array>>;
}

/** From the first to the one before `to`. */
interface Part {
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
  { hash, sizeBytes, open }: StoredBytes,
): Promise<FastifyReply> {
  const { range, 'if-range': ifRange } = request.headers;
  const etag = `"${hash}"`;
  void reply.header('etag', etag).header('accept-ranges', 'bytes');
  const isAsked = range !== undefined && (ifRange === undefined || ifRange === etag);
  const part = isAsked ? partOf(range, sizeBytes) : 'whole';
  if (part === 'nothing') {
    return reply.code(416).header('content-range', `bytes */${sizeBytes}`).send('');
  }
  const { from, to } = part === 'whole' ? { from: 0, to: sizeBytes } : part;
  if (part !== 'whole') {
    void reply.code(206).header('content-range', `bytes ${from}-${to - 1}/${sizeBytes}`);
  }
  // Bytes that turn out to be others end the connection before their last one.
  const body = Readable.from(await open({ from, to }), { objectMode: false });
  body.on('error', (error) =>
    log.error({ err: error, hash, request_id: request.id }, 'stored bytes broke off'),
  );
  void reply.header('content-length', String(to - from));
  return reply.send(body);
}

/** What is not understood is as if it were not there. */
function partOf(range: string, sizeBytes: number): Part | 'whole' | 'nothing' {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range) ?? [];
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
