/** The contract as OpenAPI 3.1, for tools and for the page at `/docs`. */

import type { Verb } from '../../verbs/verb.ts';
import { type RouteName, routes, schemas } from '../contract/contract.ts';
import {
  hasBody,
  isRanged,
  type OpenApiContent,
  type OpenApiReference,
  type OpenApiResponses,
  responsesOf,
  takesKey,
} from './answers.ts';
import {
  headerComponents,
  type JsonSchema,
  type NamedSchemas,
  namedSchemas,
  type ParameterName,
  parameterComponents,
  responseComponents,
  securitySchemes,
} from './parts.ts';

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly (OpenApiParameter | OpenApiReference)[];
  readonly requestBody?: { readonly required: true; readonly content: OpenApiContent };
  readonly responses: OpenApiResponses;
  /** The roles that it needs, by each scheme. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export interface OpenApiDocument {
  readonly [key: string]: unknown;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
}

const whoWords = {
  open: 'Open to everybody.',
  principal: 'For the owner, agents, and outsiders who sign; each sees what is theirs.',
  any: 'For the owner and for agents, who see what concerns them.',
  owner: 'For the owner.',
} as const;

export function openApiDocument(version: string): OpenApiDocument {
  const named = namedSchemas();
  const described = paths(named);
  // What is only ever said over a WebSocket, or instead of an answer, is named as well.
  for (const schema of Object.values(schemas)) named.answer(schema);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent OS',
      version,
      description:
        "The daemon's interface. The owner's socket needs no handle; an agent's socket and TCP do.",
    },
    servers: [{ url: 'http://127.0.0.1:7717' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: described,
    components: {
      schemas: named.components(),
      parameters: parameterComponents,
      headers: headerComponents,
      responses: responseComponents,
      securitySchemes,
    },
  };
}

function paths(named: NamedSchemas): OpenApiDocument['paths'] {
  const found: Record<string, Record<string, OpenApiOperation>> = {};
  for (const [name, route] of Object.entries<Verb>(routes)) {
    const methods = found[route.path] ?? {};
    methods[route.method.toLowerCase()] = operation(named, name, route);
    if (route.head === true) methods['head'] = headOperation(named, name, route);
    found[route.path] = methods;
  }
  found['/api/v1/ws'] = { get: webSocketOperation(named) };
  return found;
}

function operation(named: NamedSchemas, name: string, route: Verb): OpenApiOperation {
  return {
    operationId: name,
    tags: [tagOf(route.path)],
    summary: route.summary,
    description: whoWords[route.who],
    parameters: [
      ...parameters('path', named.input(route.params)),
      ...parameters('query', named.input(route.query)),
      ...headerParameters(name, route).map((one) => ({ $ref: `#/components/parameters/${one}` })),
    ],
    ...requestBody(named, route),
    responses: responsesOf(name, route, goodContent(named, name, route)),
    security: securityOf(route),
  };
}

/** HEAD of a route: its headers, without the bytes. */
function headOperation(named: NamedSchemas, name: string, route: Verb): OpenApiOperation {
  return {
    ...operation(named, name, route),
    operationId: `${name}Head`,
    summary: `The headers of ${name}, without its bytes`,
    responses: responsesOf(name, route, undefined),
  };
}

function securityOf({ who, legacySignature }: Verb): OpenApiOperation['security'] {
  if (who === 'open') return [];
  const roles = who === 'owner' ? ['owner'] : [];
  return [
    ...[{ bearer: roles }, { basic: roles }],
    ...(who === 'principal' ? [{ web3Signed: roles }] : []),
    ...(legacySignature === true ? [{ legacySignature: roles }] : []),
  ];
}

const resumable: ReadonlySet<string> = new Set<RouteName>([
  ...(['events', 'followGoal', 'operationLogs'] as const),
]);

function headerParameters(name: string, route: Verb): ParameterName[] {
  return [
    ...(takesKey(route) ? (['IdempotencyKey'] as const) : []),
    ...(resumable.has(name) ? (['LastEventId'] as const) : []),
    ...(isRanged(route) ? (['Range', 'IfRange', 'IfNoneMatch'] as const) : []),
  ];
}

function requestBody(named: NamedSchemas, route: Verb): Pick<OpenApiOperation, 'requestBody'> {
  if (!hasBody(route)) return {};
  const required = true;
  if (route.streams === true) {
    const type = route.streamType ?? 'application/octet-stream';
    return { requestBody: { required, content: { [type]: bytes } } };
  }
  const schema = named.input(route.input);
  const content = { 'application/json': { schema, ...exampleOf(route, 'input') } };
  return { requestBody: { required, content } };
}

const bytes = { schema: { type: 'string', format: 'binary' } } as const;

function goodContent(named: NamedSchemas, name: string, route: Verb): OpenApiContent | undefined {
  if (route.status === 204) return undefined;
  const type = route.contentType?.split(';')[0] ?? 'application/json';
  if (type === 'application/octet-stream') return { [type]: bytes };
  const schema = named.answer(route.output);
  const page = { [type]: { schema, ...exampleOf(route, 'output') } };
  const stream = streamWords[name];
  if (stream === undefined) return page;
  return { ...page, 'text/event-stream': { schema: { type: 'string', description: stream } } };
}

const streamWords: Readonly<Record<string, string>> = {
  events: 'One Event as JSON in each "data", or {"from","to"} of event "pruned"',
  operationLogs: 'One line in each "data" of event "log"; "state" and "end" when it is over',
};

function exampleOf(
  { examples = {} }: Verb,
  part: 'input' | 'output',
): { readonly example?: unknown } {
  const example = examples[part];
  return example === undefined ? {} : { example };
}

function webSocketOperation(named: NamedSchemas): OpenApiOperation {
  const { responses, ...events } = operation(named, 'events', routes.events);
  const { 200: _page, ...refusals } = responses;
  return {
    ...events,
    operationId: 'ws',
    summary:
      'The same events over a WebSocket, each as one JSON text with "type":"event"; and messages, sent and received',
    parameters: [...events.parameters.filter((one) => 'in' in one), noEvents],
    responses: { 101: { description: 'A WebSocket' }, ...refusals },
  };
}

const noEvents: OpenApiParameter = {
  name: 'events',
  in: 'query',
  required: false,
  description: 'Alone: for whoever wants no events',
  schema: { type: 'string', const: 'no' },
};

function parameters(where: 'path' | 'query', schema: JsonSchema): OpenApiParameter[] {
  // z.toJSONSchema gives these for every object.
  const properties = (schema['properties'] ?? {}) as Record<string, JsonSchema>;
  const required = (schema['required'] ?? []) as readonly string[];
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property;
    return {
      name,
      in: where,
      required: required.includes(name),
      ...(typeof description === 'string' ? { description } : {}),
      schema: rest,
    };
  });
}

/** The areas of the interface, each a tag of the OpenAPI document. */

export const tags = {
  daemon: 'The daemon itself, and the home folder',
  agents: 'Agents: who they are, what they run as, and their lives',
  goals: 'What agents are asked to accomplish, and what becomes of it',
  messages: 'Messages, mailboxes, channels and attachments',
  grants: 'Capabilities and secrets',
  tools: 'Tools, calls of them, and what a human has to approve',
  events: 'What happened, and the proof that nothing of it was changed',
  transfers: 'Files from one to another, and links for humans',
  operations: 'Goals of outsiders, and the sealed artifacts that come of them',
  files: 'The file agent',
  memory: 'What agents remember',
} as const;

type Tag = keyof typeof tags;

// By the first word of a path, behind /api/v1 where it has that.
const areas: Readonly<Record<string, Tag>> = {
  agents: 'agents',
  goals: 'goals',
  messages: 'messages',
  requests: 'messages',
  channels: 'messages',
  lead: 'messages',
  subscriptions: 'messages',
  attachments: 'messages',
  grants: 'grants',
  secrets: 'grants',
  tools: 'tools',
  calls: 'tools',
  approvals: 'tools',
  events: 'events',
  audit: 'events',
  ws: 'events',
  transfers: 'transfers',
  l: 'transfers',
  operations: 'operations',
  tokens: 'operations',
  keys: 'operations',
  files: 'files',
  memory: 'memory',
};

function tagOf(path: string): Tag {
  const [, , word = ''] = /^\/(api\/v1\/)?(\w+)/.exec(path) ?? [];
  // The inbox of an agent is about messages, wherever it stands.
  if (path.includes('/inbox')) return 'messages';
  return areas[word] ?? 'daemon';
}
