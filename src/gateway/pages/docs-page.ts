/** The OpenAPI document as one page that needs nothing from elsewhere, and no script. */
import { hash } from 'node:crypto';
import type { OpenApiContent, OpenApiReference, OpenApiResponse } from '../openapi/answers.ts';
import {
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiParameter,
  tags,
} from '../openapi/openapi.ts';

const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --accent: light-dark(#06c, #6bf); }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0; }
code, pre { font: 14px/1.5 ui-monospace, monospace; }
details { border: 1px solid var(--line); border-radius: 8px; margin: .5rem 0; }
summary { padding: .6rem .8rem; cursor: pointer; }
summary:focus-visible { outline: 2px solid var(--accent); }
details > div { padding: 0 .8rem .6rem; overflow-x: auto; }
.method { display: inline-block; min-width: 4rem; font-weight: 700; color: var(--accent); }
table { border-collapse: collapse; } td, th { text-align: left; padding: .2rem .8rem .2rem 0; vertical-align: top; }
pre { background: var(--soft); padding: .6rem; border-radius: 6px; overflow-x: auto; }
`;

export interface DocsPage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

export function docsPage(document: OpenApiDocument): DocsPage {
  const styleHash = hash('sha256', style, 'base64');
  const { title, version, description } = document.info;
  return {
    contentSecurityPolicy: `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    html: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${style}</style>
<h1>${escaped(title)}</h1>
<p>Version ${escaped(version)} · <a href="/openapi.json">openapi.json</a></p>
<p>${escaped(description)}</p>
${Object.entries(tags)
  .map(([tag, words]) => area(document, tag, words))
  .join('\n')}
<h2>Schemas</h2>
${Object.entries(document.components['schemas'] ?? {})
  .map(([name, schema]) => schemaSection(name, schema))
  .join('\n')}
</html>
`,
  };
}

function area(document: OpenApiDocument, tag: string, words: string): string {
  const sections = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => section(document, path, method, operation)),
  );
  return `<h2>${escaped(words)}</h2>\n${sections.join('\n')}`;
}

function section(
  document: OpenApiDocument,
  path: string,
  method: string,
  operation: OpenApiOperation,
): string {
  const { requestBody, responses } = operation;
  const answers = Object.entries(responses).map(([status, response]) =>
    answerBlock(status, status.startsWith('2'), found<OpenApiResponse>(document, response)),
  );
  return `<details id="${escaped(operation.operationId)}">
<summary><span class="method">${escaped(method.toUpperCase())}</span><code>${escaped(path)}</code><br>${escaped(operation.summary)}</summary>
<div>
<p>${escaped(operation.description)}</p>
${parameterTable(document, operation)}
${requestBody === undefined ? '' : `<h4>Body</h4>${contentBlock(requestBody.content)}`}
${answers.join('\n')}
</div>
</details>`;
}

/** The thing itself, or the component that it refers to. */
function found<Thing extends object>(
  { components }: OpenApiDocument,
  thing: Thing | OpenApiReference,
): Thing {
  if (!('$ref' in thing)) return thing;
  const [, , group = '', name = ''] = thing.$ref.split('/');
  // Our own document, in which every reference leads to one of its kind: a test looks.
  return components[group]?.[name] as Thing;
}

function parameterTable(document: OpenApiDocument, { parameters }: OpenApiOperation): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map((parameter) => {
    const { name, in: where, description, schema } = found<OpenApiParameter>(document, parameter);
    const words = description ?? schema['enum'] ?? '';
    return `<tr><td><code>${escaped(name)}</code><td>${escaped(where)}<td>${escaped(String(words))}`;
  });
  return `<table><tr><th>Parameter<th>In<th>What${rows.join('')}</table>`;
}

function answerBlock(status: string, isGood: boolean, response: OpenApiResponse): string {
  const heading = `<h4>${escaped(status)} ${escaped(response.description)}</h4>`;
  const headers = Object.keys(response.headers ?? {})
    .filter((name) => name !== 'X-Request-Id')
    .map((name) => `<code>${escaped(name)}</code>`);
  const line = headers.length === 0 ? '' : `<p>Headers: ${headers.join(', ')}</p>`;
  // Every refusal carries the same, which is told once below.
  return heading + line + (isGood ? contentBlock(response.content ?? {}) : '');
}

function contentBlock(content: OpenApiContent): string {
  return Object.entries(content)
    .map(([type, { schema, example }]) => {
      const shown = example === undefined ? '' : `<p>Such as</p>${jsonBlock(example)}`;
      return `<p><code>${escaped(type)}</code></p>${jsonBlock(schema)}${shown}`;
    })
    .join('');
}

function schemaSection(name: string, schema: unknown): string {
  return `<details id="schema-${escaped(name)}">
<summary><code>${escaped(name)}</code></summary>
<div>${jsonBlock(schema)}</div>
</details>`;
}

function jsonBlock(value: unknown): string {
  const text = escaped(JSON.stringify(value, undefined, 2));
  return `<pre>${text.replace(
    /#\/components\/schemas\/(\w+)/g,
    (whole, name: string) => `<a href="#schema-${name}">${whole}</a>`,
  )}</pre>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
