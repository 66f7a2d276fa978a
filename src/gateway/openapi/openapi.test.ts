import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Verb } from '../../verbs/verb.ts';
import { type RouteName, routes } from '../contract/contract.ts';
import { docsPage } from '../pages/docs-page.ts';
import { hasBody } from './answers.ts';
import { type OpenApiOperation, openApiDocument } from './openapi.ts';
import { namedSchemas } from './parts.ts';

const committed = join(import.meta.dirname, '..', '..', '..', 'docs', 'openapi.json');
// The version of the interface, so that a release alone does not change the page.
const document = openApiDocument('1');
const named = Object.entries<Verb>(routes).map(([name, route]) => ({
  // The keys of the contract are its names.
  name: name as RouteName,
  route,
}));

test('docs/openapi.json is what the contract says (AOS_TEST_WRITE_OPENAPI=1 writes it; then npm run fix)', () => {
  if (process.env['AOS_TEST_WRITE_OPENAPI'] === '1') {
    writeFileSync(committed, JSON.stringify(document, undefined, 2));
  }

  expect(JSON.parse(readFileSync(committed, 'utf8'))).toEqual(document);
});

describe('the document', () => {
  test('describes every route, with what it takes and gives', () => {
    for (const { name, route } of named) {
      const operation = operationOf(route);
      expect(operation).toMatchObject({ operationId: name, summary: route.summary });
      expect(Object.keys(operation.responses)).toContain(String(route.status));
      expect(operation.requestBody !== undefined).toBe(hasBody(route));
    }
  });

  test('refers to nothing that is not there, and names nothing in vain', () => {
    const used = new Set(JSON.stringify(document).match(/#\/components\/\w+\/\w+/g));
    const there = ['schemas', 'parameters', 'headers', 'responses'].flatMap((group) =>
      Object.keys(document.components[group] ?? {}).map((name) => `#/components/${group}/${name}`),
    );

    expect([...used].filter((one) => !there.includes(one))).toEqual([]);
    expect(there.filter((one) => !used.has(one))).toEqual([]);
  });

  test.each([
    ...['Agent', 'Goal', 'GoalSummary', 'Step', 'Budget', 'Message', 'Grant', 'Approval'],
    ...['ToolCall', 'Transfer', 'Link', 'Event', 'Problem', 'GetOperationResponse'],
    ...['OperationResult', 'ArtifactCollection', 'ArtifactMetadata'],
  ])('has %s as a component', (name) => {
    expect(document.components['schemas']?.[name]).toMatchObject({ type: 'object' });
  });

  test('tells no schema twice that has a name', () => {
    const schemas = Object.values(document.components['schemas'] ?? {}).map((one) =>
      JSON.stringify(one),
    );
    const paths = JSON.stringify(document.paths);

    expect(schemas.filter((one) => paths.includes(one))).toEqual([]);
    expect(new Set(schemas).size).toBe(schemas.length);
  });

  test('says which refusals a route is likely to give', () => {
    const { artifact, send, livez, putAttachment } = routes;

    expect(statuses(artifact)).toEqual([
      ...[200, 206, 304, 400, 401, 403, 404, 409, 410, 416, 429].map(String),
      'default',
    ]);
    expect(statuses(send)).toEqual([
      ...[202, 400, 401, 403, 404, 409, 413, 415, 429].map(String),
      'default',
    ]);
    expect(statuses(livez)).toEqual(['200', '400', 'default']);
    expect(statuses(putAttachment)).toContain('415');
  });

  test('has a key for what is written once, and none where bytes stream', () => {
    for (const { route } of named) {
      const takes = JSON.stringify(operationOf(route).parameters).includes('IdempotencyKey');
      expect(takes).toBe(route.method !== 'GET' && route.streams !== true);
    }
  });

  test('has HEAD where it is answered, and nothing in the answer to it', () => {
    for (const { name, route } of named.filter((one) => one.route.head === true)) {
      const { head } = document.paths[route.path] ?? {};
      expect(head?.operationId).toBe(`${name}Head`);
      expect(head?.responses[200]).not.toHaveProperty('content');
    }
    expect(operationOf(routes.deleteArtifact).responses[204]).not.toHaveProperty('content');
  });

  test('says who may call, by scheme and role', () => {
    expect(operationOf(routes.livez).security).toEqual([]);
    expect(operationOf(routes.gc).security).toEqual([{ bearer: ['owner'] }, { basic: ['owner'] }]);
    expect(operationOf(routes.agents).security).toEqual([{ bearer: [] }, { basic: [] }]);
    const signed = [{ bearer: [] }, { basic: [] }, { web3Signed: [] }];
    expect(operationOf(routes.buyToken).security).toEqual(signed);
    for (const { route } of named.filter((one) => one.route.legacySignature === true)) {
      expect(operationOf(route).security).toEqual([...signed, { legacySignature: [] }]);
    }
  });

  test('puts every operation under one tag that is described', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    const used = new Set(operations.flatMap((operation) => operation.tags));

    expect(operations.every((operation) => operation.tags.length === 1)).toBe(true);
    expect(document['tags']).toEqual(
      expect.arrayContaining([...used].map((name) => expect.objectContaining({ name }))),
    );
  });
});

describe('examples', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ ...document, $id: 'document' });
  const fits = (pointer: string, example: unknown): string | undefined => {
    const check = ajv.getSchema(`document#${pointer}`);
    if (check === undefined) return `there is no schema at ${pointer}`;
    return check(example) === true ? undefined : ajv.errorsText(check.errors);
  };

  test.each(named)('$name has those that it needs, and they fit', ({ route }) => {
    const { input: body, output: answer } = route.examples ?? {};
    const place = `/paths/${route.path.replaceAll('/', '~1')}/${route.method.toLowerCase()}`;
    const takesJson = hasBody(route) && route.streams !== true;
    const givesJson = route.contentType === undefined && route.status !== 204;

    expect(body !== undefined).toBe(takesJson);
    expect(answer !== undefined).toBe(givesJson);
    if (takesJson) {
      expect(fits(`${place}/requestBody/content/application~1json/schema`, body)).toBe(undefined);
      expect(route.input.safeParse(body).success).toBe(true);
    }
    if (givesJson) {
      const content = `${place}/responses/${route.status}/content/application~1json`;
      expect(fits(`${content}/schema`, answer)).toBe(undefined);
      expect(route.output.safeParse(answer).success).toBe(true);
    }
  });

  test('one that does not fit is found', () => {
    const place = '/paths/~1api~1v1~1agents/post/requestBody/content/application~1json/schema';

    expect(fits(place, { name: 'jean', color: 'blue' })).toContain('additional properties');
  });
});

test('two schemas of one name are refused', () => {
  const schemas = namedSchemas();
  schemas.answer(z.object({ a: z.string() }).meta({ id: 'Twice' }));

  const again = () => schemas.answer(z.object({ b: z.string() }).meta({ id: 'Twice' }));

  expect(again).toThrow('two schemas of the contract are called Twice');
});

test('only what must be open is open', () => {
  const open = Object.values(routes).filter(({ who }) => who === 'open');

  // Who has a link has what is in it: 32 bytes that nobody guesses.
  const links = ['/l/{token}', '/l/{token}/facts', '/l/{token}/bytes', '/l/{token}/bytes'];
  expect(open.map(({ path }) => path)).toEqual(['/livez', '/readyz', ...links]);
});

test('every body and query refuses what it does not know', () => {
  for (const { input, query, params } of Object.values(routes)) {
    for (const schema of [input, query, params]) {
      expect(schema.safeParse({ unknown_field: '1' }).success).toBe(false);
    }
  }
});

describe('the page', () => {
  test('shows every route and every schema, loads nothing and runs nothing', () => {
    const { html, contentSecurityPolicy } = docsPage(document);

    for (const { path } of Object.values(routes)) expect(html).toContain(`<code>${path}</code>`);
    for (const name of Object.keys(document.components['schemas'] ?? {})) {
      expect(html).toContain(`id="schema-${name}"`);
    }
    expect(html).not.toMatch(/<script|\ssrc=|href="(?!#|\/openapi\.json")|\son\w+=/);
    expect(contentSecurityPolicy).toContain("default-src 'none'");
    expect(contentSecurityPolicy).not.toContain('unsafe');
  });

  test('leads from a reference to what it refers to', () => {
    const { html } = docsPage(document);

    const targets = [...html.matchAll(/href="#([\w-]+)"/g)].map(([, id]) => id);
    expect(targets).toContain('schema-GetOperationResponse');
    for (const id of new Set(targets)) expect(html).toContain(`id="${id}"`);
  });

  test('shows text as text', () => {
    const info = { title: '<b>&"', version: '<i>', description: "<img src='x'>" };

    const { html } = docsPage({ ...document, info });

    expect(html).not.toMatch(/<b>|<i>|<img/);
    expect(html).toContain('&lt;b&gt;&amp;&quot;');
  });
});

function operationOf({ path, method }: Verb): OpenApiOperation {
  const operation = document.paths[path]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`nothing is said of ${method} ${path}`);
  return operation;
}

function statuses(route: Verb): string[] {
  return Object.keys(operationOf(route).responses);
}
