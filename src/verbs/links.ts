/** Links with which a human fetches or sends a file in a browser. */
import * as z from 'zod';
import { at, hashes, ids } from './sample.ts';
import { actAs, as, sha256, ttl } from './transfer-shapes.ts';
import { count, get, idParams, listLimit, listNext, post, time, type Verb } from './verb.ts';

const tokenParams = z.strictObject({ token: z.string().max(100) });

const link = z
  .object({
    id: z.string(),
    kind: z.enum(['download', 'upload']),
    transfer: z.nullable(z.string()),
    recipient: z.nullable(z.string()),
    most_uses: count,
    uses: count,
    created_at: time,
    expires_at: time,
    revoked: z.boolean(),
  })
  .meta({ id: 'Link' });

const madeLink = z
  .object({
    ...link.shape,
    path: z.string().describe('With the key behind the "#": shown this once'),
    url: z.nullable(z.string()).describe('The same with where the daemon listens'),
  })
  .meta({ id: 'MadeLink' });

const pathExample = '/l/q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA';

const linkExample = {
  id: ids.link,
  kind: 'download',
  transfer: ids.transfer,
  recipient: null,
  most_uses: 1,
  uses: 0,
  created_at: at('12:00:00'),
  expires_at: '2030-02-01T12:00:00.000Z',
  revoked: false,
} as const;

const madeExample = { path: pathExample, url: `http://127.0.0.1:7717${pathExample}` };

export const linkVerbs = {
  linkTransfer: {
    ...post,
    path: '/api/v1/transfers/{id}/links',
    summary: 'A link with which a human fetches it in a browser',
    mayBeGone: true,
    who: 'any',
    secretAnswer: true,
    params: idParams,
    input: z.strictObject({
      as,
      ttl_ms: z.optional(ttl.describe('A day when not said')),
      most_uses: z.optional(z.int().min(1).max(10_000).describe('1 when not said')),
    }),
    output: madeLink,
    examples: {
      input: { as: 'jean', ttl_ms: 86_400_000, most_uses: 1 },
      output: { ...linkExample, ...madeExample },
    },
  },
  uploadLink: {
    ...post,
    path: '/api/v1/transfers/upload-links',
    summary: 'A link with which a human sends one file to an agent from a browser',
    mayBeMissing: true,
    who: 'any',
    secretAnswer: true,
    input: z.strictObject({
      as,
      ttl_ms: z.optional(ttl.describe('A day when not said')),
      most_bytes: z.optional(count.describe('100 MiB when not said')),
    }),
    output: madeLink,
    examples: {
      input: { as: 'jean', ttl_ms: 86_400_000, most_bytes: 1_048_576 },
      output: { ...linkExample, kind: 'upload', transfer: null, recipient: 'jean', ...madeExample },
    },
  },
  transferLinks: {
    ...get,
    path: '/api/v1/transfers/links',
    summary: 'The links that the caller has made, and those to its upload',
    who: 'any',
    query: z.strictObject({
      as,
      before: z.optional(z.string().max(100).describe('Only links that were made before this one')),
      limit: listLimit,
    }),
    output: z.object({ items: z.array(link), next: listNext }),
    examples: { output: { items: [linkExample] } },
  },
  revokeLink: {
    ...post,
    path: '/api/v1/transfers/links/{id}/revoke',
    summary: 'From now on nobody gets in by it',
    who: 'any',
    params: idParams,
    input: actAs,
    output: link,
    examples: { input: { as: 'jean' }, output: { ...linkExample, revoked: true } },
  },
  downloadPage: {
    ...get,
    path: '/l/{token}',
    summary: 'The page of a link: opens in the browser what it fetches',
    mayBeGone: true,
    who: 'open',
    params: tokenParams,
    output: z.string(),
    contentType: 'text/html; charset=utf-8',
  },
  linkFacts: {
    ...get,
    path: '/l/{token}/facts',
    summary: 'What is behind a link',
    mayBeGone: true,
    who: 'open',
    params: tokenParams,
    output: z.object({
      kind: z.enum(['download', 'upload']),
      header: z.nullable(z.string()).describe('The first 64 stored bytes, as base64url'),
      filename: z.nullable(z.string()),
      file_size_bytes: z.nullable(count),
      stored_bytes: z.nullable(count),
      sha256: z.nullable(z.string()),
      sealed: z.boolean(),
      recipient: z.nullable(z.string()),
      most_bytes: z.nullable(count),
      uses_left: count,
      expires_at: time,
    }),
    examples: {
      output: {
        kind: 'download',
        header:
          'QU9TQjEAAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
        filename: 'july.md',
        file_size_bytes: 2048,
        stored_bytes: 2144,
        sha256: hashes.plain,
        sealed: true,
        recipient: null,
        most_bytes: null,
        uses_left: 1,
        expires_at: '2030-02-01T12:00:00.000Z',
      },
    },
  },
  linkBytes: {
    ...get,
    path: '/l/{token}/bytes',
    summary: 'The stored bytes behind a link; each asking is one use of it',
    mayBeGone: true,
    who: 'open',
    params: tokenParams,
    output: z.string(),
    contentType: 'application/octet-stream',
  },
  linkUpload: {
    ...post,
    path: '/l/{token}/bytes',
    summary: 'Send a file through an upload link, sealed by the browser',
    mayBeGone: true,
    who: 'open',
    params: tokenParams,
    query: z.strictObject({ filename: z.string().max(300), sha256 }),
    streams: true,
    output: z.object({ id: z.string(), recipient: z.string(), file_size_bytes: count }),
    examples: { output: { id: ids.transfer, recipient: 'jean', file_size_bytes: 2048 } },
  },
} as const satisfies Record<string, Verb>;
