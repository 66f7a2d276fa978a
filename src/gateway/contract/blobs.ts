/** The part of the contract that is about stored bytes. */
import * as z from 'zod';
import { count, post, type Route } from './route.ts';

const damage = z
  .object({
    hash: z.string(),
    store: z.enum(['blobs', 'attachments']),
    why: z.string(),
    needed_by: z.array(z.string().describe('Such as transfer:ID or message:ID')),
  })
  .meta({ id: 'Damage' });

export const blobRoutes = {
  verifyBlobs: {
    ...post,
    path: '/api/v1/blobs/verify',
    summary: 'Read all stored bytes and compare them with their hashes, and those with the ledger',
    who: 'owner',
    answer: z.object({
      checked: count.describe('How many files were read'),
      bytes: count,
      corrupt: z.array(damage),
      missing: z.array(damage).describe('What somebody needs and is not there'),
      orphans: count.describe('How many files nobody refers to; they go by themselves'),
      more: count.describe('How many damaged or missing ones are not told one by one'),
    }),
  },
} as const satisfies Record<string, Route>;
