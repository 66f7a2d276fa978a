/** The OpenAPI document as one page that needs nothing from elsewhere, and no script. */
import { hash } from 'node:crypto';
import type { JsonSchema, OpenApiDocument, OpenApiOperation } from './openapi.ts';

const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --accent: light-dark(#06c, #6bf); }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0; }
code, pre { font: 14px/1.5 ui-monospace, monospace; }
details { border: 1px solid var(--line); border-radius: 8px; margin: .5rem 0; }
summary { padding: .6rem .8rem; cursor: pointer; }
summary:focus-visible { outline: 2px solid var(--accent); }
details > div { padding: 0 .8rem .6rem; overflow-x: auto; }
.method { display: inline-block; min-width: 3.2rem; font-weight: 700; color: var(--accent); }
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
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => section(path, method, operation)),
  );
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
${operations.join('\n')}
</html>
`,
  };
}

function section(path: string, method: string, operation: OpenApiOperation): string {
  const body = operation.requestBody?.content['application/json']?.schema;
  const answers = Object.entries(operation.responses).filter(([status]) => status !== 'default');
  return `<details id="${escaped(operation.operationId)}">
<summary><span class="method">${escaped(method.toUpperCase())}</span><code>${escaped(path)}</code><br>${escaped(operation.summary)}</summary>
<div>
<p>${escaped(operation.description)}</p>
${parameterTable(operation)}
${body === undefined ? '' : `<h4>Body</h4>${schemaBlock(body)}`}
${answers.map(answerBlock).join('\n')}
</div>
</details>`;
}

function parameterTable({ parameters }: OpenApiOperation): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, in: where, schema }) => {
    const words = schema['description'] ?? schema['enum'] ?? '';
    return `<tr><td><code>${escaped(name)}</code><td>${escaped(where)}<td>${escaped(String(words))}`;
  });
  return `<table><tr><th>Parameter<th>In<th>What${rows.join('')}</table>`;
}

function answerBlock([status, response]: [string, OpenApiOperation['responses'][string]]): string {
  const contents = Object.entries(response.content ?? {}).map(
    ([type, { schema }]) => `<p><code>${escaped(type)}</code></p>${schemaBlock(schema)}`,
  );
  return `<h4>${escaped(status)} ${escaped(response.description)}</h4>${contents.join('')}`;
}

function schemaBlock(schema: JsonSchema): string {
  return `<pre>${escaped(JSON.stringify(schema, undefined, 2))}</pre>`;
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
