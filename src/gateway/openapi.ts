/** The contract as OpenAPI 3.1, for tools and for the page at `/docs`. */
import * as z from 'zod';
import { routes, schemas } from './contract.ts';
import type { Route } from './route.ts';

export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly OpenApiParameter[];
  readonly requestBody?: { readonly required: true; readonly content: OpenApiContent };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: OpenApiContent }>
  >;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export type JsonSchema = Readonly<Record<string, unknown>>;
type OpenApiContent = Readonly<Record<string, { readonly schema: JsonSchema }>>;

export interface OpenApiDocument {
  readonly [key: string]: unknown;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
}

const whoWords = {
  open: 'Open to everybody.',
  any: 'For the owner and for agents, who see what concerns them.',
  owner: 'For the owner.',
} as const;

export function openApiDocument(version: string): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent OS',
      version,
      description:
        "The daemon's interface. The owner's socket needs no handle; an agent's socket and TCP do.",
    },
    paths: paths(),
    components: {
      schemas: { Problem: answerSchema(schemas.problem), Event: answerSchema(schemas.event) },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A handle, aos_…' },
        basic: { type: 'http', scheme: 'basic', description: 'A handle as the password' },
      },
    },
  };
}

function paths(): OpenApiDocument['paths'] {
  const found: Record<string, Record<string, OpenApiOperation>> = {};
  for (const [name, route] of Object.entries<Route>(routes)) {
    const methods = found[route.path] ?? {};
    methods[route.method.toLowerCase()] = operation(name, route);
    found[route.path] = methods;
  }
  found['/api/v1/ws'] = { get: webSocketOperation() };
  return found;
}

function operation(name: string, route: Route): OpenApiOperation {
  return {
    operationId: name,
    summary: route.summary,
    description: whoWords[route.who],
    parameters: [
      ...parameters('path', inputSchema(route.params)),
      ...parameters('query', inputSchema(route.query)),
      ...(name === 'events' ? [lastEventId] : []),
    ],
    ...requestBody(route),
    responses: {
      [route.status]: { description: 'As asked for', content: goodContent(name, route) },
      default: {
        description: 'Refused or failed',
        content: { 'application/problem+json': { schema: reference('Problem') } },
      },
    },
    security: route.who === 'open' ? [] : [{ bearer: [] }, { basic: [] }],
  };
}

function requestBody(route: Route): Pick<OpenApiOperation, 'requestBody'> {
  const required = true;
  if (route.streams === true) {
    const schema = { type: 'string', format: 'binary' };
    return { requestBody: { required, content: { 'application/octet-stream': { schema } } } };
  }
  const schema = inputSchema(route.body);
  if (!hasFields(schema)) return {};
  return { requestBody: { required, content: { 'application/json': { schema } } } };
}

const lastEventId: OpenApiParameter = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  schema: { type: 'string', description: 'The stream goes on behind this event' },
};

function goodContent(name: string, route: Route): OpenApiContent {
  const schema = answerSchema(route.answer);
  const page = { [route.contentType?.split(';')[0] ?? 'application/json']: { schema } };
  if (name !== 'events') return page;
  const description = 'One Event as JSON in each "data", or {"from","to"} of event "pruned"';
  return { ...page, 'text/event-stream': { schema: { type: 'string', description } } };
}

function webSocketOperation(): OpenApiOperation {
  return {
    ...operation('ws', { ...routes.events, status: 101 }),
    operationId: 'ws',
    summary:
      'The same events over a WebSocket, each as one JSON text with "type":"event"; and messages, sent and received',
    responses: { 101: { description: 'A WebSocket' } },
  };
}

function parameters(where: 'path' | 'query', schema: JsonSchema): OpenApiParameter[] {
  // z.toJSONSchema gives these for every object.
  const properties = (schema['properties'] ?? {}) as Record<string, JsonSchema>;
  const required = (schema['required'] ?? []) as readonly string[];
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: required.includes(name),
    schema: property,
  }));
}

function hasFields(schema: JsonSchema): boolean {
  return Object.keys(schema['properties'] ?? {}).length > 0;
}

function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

function inputSchema(schema: z.ZodType): JsonSchema {
  return withoutMark(z.toJSONSchema(schema, { io: 'input' }));
}

function answerSchema(schema: z.ZodType): JsonSchema {
  return withoutMark(z.toJSONSchema(schema));
}

function withoutMark({ $schema: _mark, ...schema }: JsonSchema): JsonSchema {
  return schema;
}
