/**
 * What keeps browsers from doing more with an answer than to show it. Pages that need more say
 * so themselves: routes/pages.ts, link-page.ts. There is nothing about other origins here,
 * because none may read anything: foreign.ts.
 */
export const securityHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;
