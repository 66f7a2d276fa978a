/** The operations of an OpenAPI document, with what they refer to in its place. */

export type Schema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
}

interface Media {
  readonly schema: Schema;
}

interface Response {
  readonly content?: Readonly<Record<string, Media>>;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response | Reference>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

interface Reference {
  readonly $ref: string;
}

/** As much of one as is used here. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface DescribedOperation {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  /** The methods that are described for the same path. */
  readonly methods: readonly string[];
  readonly parameters: readonly Parameter[];
  /** What its body is to be: JSON by this schema, any bytes, or nothing. */
  readonly body:
    | { readonly kind: 'none' }
    | { readonly kind: 'bytes' }
    | { readonly kind: 'json'; readonly schema: Schema; readonly pointer: string };
  readonly isOpen: boolean;
  readonly isForOwner: boolean;
  readonly isForOutsiders: boolean;
  /** For each status, and "default": where the schema of each type of content is. */
  readonly answers: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

export function describedOperations(document: OpenApi): DescribedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): DescribedOperation => {
      const pointer = `/paths/${escaped(path)}/${method}`;
      const roles = operation.security.flatMap((one) => Object.values(one).flat());
      return {
        id: operation.operationId,
        tag: operation.tags[0],
        method: method.toUpperCase(),
        path,
        methods: Object.keys(methods).map((one) => one.toUpperCase()),
        parameters: operation.parameters.map((one) => resolved<Parameter>(document, one)),
        body: bodyOf(operation, pointer),
        isOpen: operation.security.length === 0,
        isForOwner: roles.includes('owner'),
        isForOutsiders: operation.security.some((one) => 'web3Signed' in one),
        answers: answersOf(document, operation, pointer),
      };
    }),
  );
}

function bodyOf({ requestBody }: Operation, pointer: string): DescribedOperation['body'] {
  if (requestBody === undefined) return { kind: 'none' };
  const json = requestBody.content['application/json'];
  if (json === undefined) return { kind: 'bytes' };
  const place = `${pointer}/requestBody/content/application~1json/schema`;
  return { kind: 'json', schema: json.schema, pointer: place };
}

function answersOf(document: OpenApi, { responses }: Operation, pointer: string) {
  const answers = new Map<string, ReadonlyMap<string, string>>();
  for (const [status, response] of Object.entries(responses)) {
    const place = '$ref' in response ? response.$ref.slice(1) : `${pointer}/responses/${status}`;
    const types = Object.keys(resolved<Response>(document, response).content ?? {});
    answers.set(
      status,
      new Map(types.map((type) => [type, `${place}/content/${escaped(type)}/schema`])),
    );
  }
  return answers;
}

/** What a reference leads to; the document is checked by others to have nothing loose. */
export function resolved<Thing extends object>(
  { components }: OpenApi,
  thing: Thing | Reference,
): Thing {
  if (!('$ref' in thing)) return thing;
  const [, , group = '', name = ''] = String(thing.$ref).split('/');
  return components[group]?.[name] as Thing;
}

function escaped(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}
