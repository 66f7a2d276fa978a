import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { routes } from './contract.ts';
import { docsPage } from './docs-page.ts';
import { openApiDocument } from './openapi.ts';

const committed = join(import.meta.dirname, '..', '..', 'docs', 'openapi.json');
// The version of the interface, so that a release alone does not change the page.
const document = openApiDocument('1');

test('docs/openapi.json is what the contract says (AOS_TEST_WRITE_OPENAPI=1 writes it; then npm run fix)', () => {
  if (process.env['AOS_TEST_WRITE_OPENAPI'] === '1') {
    writeFileSync(committed, JSON.stringify(document, undefined, 2));
  }

  expect(JSON.parse(readFileSync(committed, 'utf8'))).toEqual(document);
});

test('every route is described, with what it takes and gives', () => {
  for (const [name, route] of Object.entries(routes)) {
    const operation = document.paths[route.path]?.[route.method.toLowerCase()];
    expect(operation).toMatchObject({ operationId: name, summary: route.summary });
    expect(Object.keys(operation?.responses ?? {})).toContain(String(route.status));
  }
});

test('only what must be open is open', () => {
  const open = Object.values(routes).filter(({ who }) => who === 'open');

  // Who has a link has what is in it: 32 bytes that nobody guesses.
  const links = ['/l/{token}', '/l/{token}/facts', '/l/{token}/bytes', '/l/{token}/bytes'];
  expect(open.map(({ path }) => path)).toEqual(['/livez', '/readyz', ...links]);
});

test('every body and query refuses what it does not know', () => {
  for (const { body, query, params } of Object.values(routes)) {
    for (const schema of [body, query, params]) {
      expect(schema.safeParse({ unknown_field: '1' }).success).toBe(false);
    }
  }
});

test('the page shows every route, loads nothing and runs nothing', () => {
  const { html, contentSecurityPolicy } = docsPage(document);

  for (const { path } of Object.values(routes)) expect(html).toContain(`<code>${path}</code>`);
  expect(html).not.toMatch(/<script|https?:\/\/|\son\w+=/);
  expect(contentSecurityPolicy).toContain("default-src 'none'");
  expect(contentSecurityPolicy).not.toContain('unsafe');
});

test('the page shows text as text', () => {
  const info = { title: '<b>&"', version: '<i>', description: "<img src='x'>" };

  const { html } = docsPage({ ...document, info });

  expect(html).not.toMatch(/<b>|<i>|<img/);
  expect(html).toContain('&lt;b&gt;&amp;&quot;');
});
