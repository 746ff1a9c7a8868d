// Owns requests that are made from an OpenAPI document alone: what each needs, and how it is sent.

import {
  type JsonMembers,
  withMember,
  withXml,
  xmlText,
} from '../../../src/contract/samples/requests.ts';
import { elementText } from '../../../src/language/encoding.ts';
import { multipartText, multipartType } from '../../support/multipart.ts';
import { type Answer, ask } from '../../support/wire.ts';

export interface ValueSchema {
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly xml?: { readonly attribute?: boolean; readonly name?: string };
  readonly title?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly oneOf?: readonly ValueSchema[];
}

interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'header' | 'path' | 'cookie';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: ValueSchema;
}

interface Content {
  readonly schema: ValueSchema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, Content>> }>
  >;
}

type Servers = readonly [{ readonly url: string }];

interface PathItem {
  readonly servers?: Servers;
  readonly get?: Operation;
  readonly post?: Operation;
}

export interface OpenapiDocument {
  readonly servers: Servers;
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly securitySchemes: Readonly<
      Record<string, { readonly type: string; readonly scheme?: string }>
    >;
  };
}

/** A value that a request can have. */
export interface Field {
  readonly place: Parameter['in'] | 'body';
  /** Its name, after those of the members around it. */
  readonly path: readonly string[];
  readonly required: boolean;
  /** Grants that need a parameter which others do not. */
  readonly neededFor: readonly string[];
  readonly schema: ValueSchema;
}

/** One way to make the request of an operation. */
export interface Way {
  readonly operation: Operation;
  readonly method: string;
  readonly url: string;
  readonly fields: readonly Field[];
  /** The schemes that it takes, by name. */
  readonly schemes: readonly string[];
  readonly body?: { readonly type: string; readonly schema: ValueSchema; readonly root: string };
  /** The grant, if the body's schema is of one. */
  readonly title?: string;
}

/** Every operation by every scheme, media type and kind of body. */
export function waysOf(document: OpenapiDocument): readonly Way[] {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    (['get', 'post'] as const).flatMap((method) => {
      const operation = item[method];
      const [{ url }] = item.servers ?? document.servers;
      return operation === undefined
        ? []
        : [{ operation, method: method.toUpperCase(), url: url + path }];
    }),
  );
  return operations.flatMap((one) => {
    const { security, parameters = [], requestBody } = one.operation;
    const named = parameters.map(
      ({ name, in: place, required, schema, description = '' }): Field => {
        const neededFor = /\bneeded for ([\w, ]+)$/.exec(description)?.[1]?.split(', ') ?? [];
        return { place, path: [name], required, neededFor, schema };
      },
    );
    const bodies = Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema }]) =>
      (schema.oneOf ?? [schema]).map((kind) => ({
        fields: [...named, ...fieldsOf(kind, [])],
        body: { type, schema, root: schema.xml?.name ?? '' },
        ...(kind.title !== undefined && { title: kind.title }),
      })),
    );
    const schemes = security.length === 0 ? [{}] : security;
    return schemes.flatMap((scheme) =>
      (bodies.length === 0 ? [{ fields: named }] : bodies).map((body) => ({
        ...one,
        ...body,
        schemes: Object.keys(scheme),
      })),
    );
  });
}

/** The scopes that the tokens of some operations need. */
export function neededScopes({ paths }: OpenapiDocument): readonly string[] {
  return Object.values(paths).flatMap(({ get, post }) =>
    [get, post].flatMap((one) => one?.security ?? []).flatMap((one) => Object.values(one).flat()),
  );
}

function fieldsOf(
  { properties = {}, required = [] }: ValueSchema,
  above: readonly string[],
  isNeeded = true,
): readonly Field[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = [...above, name];
    const needed = isNeeded && required.includes(name);
    return schema.properties === undefined
      ? [{ place: 'body' as const, path, required: needed, neededFor: [], schema }]
      : fieldsOf(schema, path, needed);
  });
}

/** A text that the schema allows, if it says which. */
export function allowedText({
  const: only,
  enum: listed,
  pattern,
}: ValueSchema): string | undefined {
  if (only !== undefined || listed !== undefined) return only ?? listed?.[0];
  const scope = /^\^\(\?:([^|)]+)/.exec(pattern ?? '');
  if (scope !== null) return scope[1];
  const parts = /^\^(.*)\[(.+)\](?:\*|\{(\d+),(\d+)\})\$$/.exec(pattern ?? '');
  if (parts === null) return undefined;
  const [, prefix = '', range = '', least = '1', most = '8'] = parts;
  const one = ['a', 'A', '0', 'd'].find((character) => new RegExp(`[${range}]`).test(character));
  const count = Math.max(Number(least), Math.min(Number(most), 8));
  return prefix.replaceAll(/\\(.)/g, '$1') + (one ?? '').repeat(count);
}

export type Filled = readonly (readonly [Field, string])[];

/** What the body says as the schema sees it. */
export function bodyValue(filled: Filled): JsonMembers {
  return filled.reduce<JsonMembers>(
    (all, [{ place, path }, value]) => (place === 'body' ? withMember(all, path, value) : all),
    {},
  );
}

export function send(
  { method, url, body }: Way,
  filled: Filled,
  authorization: string | undefined,
): Promise<Answer> {
  const at = (place: Field['place']): readonly (readonly [string, string])[] =>
    filled.flatMap(([field, value]) =>
      field.place === place ? [[field.path.at(-1) ?? '', value] as const] : [],
    );
  const whole = at('path').reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)),
    url,
  );
  const { origin, pathname } = new URL(whole);
  const query = new URLSearchParams(at('query') as [string, string][]).toString();
  const cookies = at('cookie').map((pair) => pair.join('='));
  const headers = {
    accept: '*/*',
    ...Object.fromEntries(at('header')),
    ...(cookies.length > 0 && { cookie: cookies.join('; ') }),
    ...(authorization !== undefined && { authorization }),
    ...(body !== undefined && { 'content-type': typeOf(body) }),
  };
  const text = body === undefined ? undefined : written(body, filled);
  const target = pathname + (query === '' ? '' : `?${query}`);
  return ask(origin, target, { method, headers, ...(text !== undefined && { body: text }) });
}

/** The path of an element whose text is a member of its own. */
export function elementOf(path: readonly string[]): readonly string[] {
  return path.at(-1) === elementText ? path.slice(0, -1) : path;
}

const multipart = 'multipart/form-data';

function typeOf({ type }: NonNullable<Way['body']>): string {
  return type === multipart ? multipartType : type;
}

function written({ type, root }: NonNullable<Way['body']>, filled: Filled): string {
  if (type === 'application/x-www-form-urlencoded') {
    return new URLSearchParams(bodyValue(filled) as Record<string, string>).toString();
  }
  if (type === multipart) {
    return multipartText(Object.entries(bodyValue(filled) as Record<string, string>));
  }
  if (!type.endsWith('xml')) return JSON.stringify(bodyValue(filled));
  const members = filled.reduce<JsonMembers>(
    (all, [{ place, path, schema }, value]) =>
      place === 'body' ? withXml(all, elementOf(path), schema.xml?.attribute === true, value) : all,
    {},
  );
  return xmlText(root, members);
}
