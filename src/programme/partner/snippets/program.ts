// Owns what sample programs have in common in every language: the address, headers and body of a request
// as expressions.

import type { JsonMembers } from '../../requests/sample_body.ts';
import type { SampleCredentials } from '../../requests/sample_proof.ts';
import type { SampleRequest } from '../../requests/sample_request.ts';
import { partsOf } from './variables.ts';

/** How a language writes expressions. */
export interface Language {
  /** Indentation of each level, and of the query's map in the address. */
  readonly step: string;
  readonly queryIndent: string;
  /** The value of a variable of the environment. */
  readonly variable: (name: string) => string;
  /** Base64 and form encoding of a text. */
  readonly base64: (text: string) => string;
  readonly formEncoded: (text: string) => string;
  /** A map as JSON, and as a form. */
  readonly json: (map: string) => string;
  readonly form: (map: string) => string;
}

/** A header of an answer that is printed before its body: the one that holds the token. */
export interface Printed {
  readonly header?: string | undefined;
}

/** Expressions; headers and body are empty where the request has none. */
interface Written {
  readonly url: string;
  readonly headers: string;
  readonly body: string;
}

export function writeRequest(language: Language, base: string, request: SampleRequest): Written {
  const { path, query, headers, credentials, json, raw, form } = request;
  const { step, queryIndent } = language;
  const search =
    query.length === 0 ? '' : ` + ${language.form(mapText(language, query, queryIndent))}`;
  const type = json === undefined ? raw?.type : 'application/json';
  const proof =
    credentials === undefined
      ? []
      : ([['Authorization', authorization(language, credentials)]] as const);
  const own = type === undefined ? [] : ([['Content-Type', type]] as const);
  const sent = mapText(language, [...headers, ...own], step, proof);
  let body = '';
  if (raw !== undefined) body = text(language, raw.text);
  else if (json !== undefined) body = language.json(mapText(language, Object.entries(json), step));
  else if (form !== undefined) body = language.form(mapText(language, form, step));
  return {
    url: text(language, base + path + (search === '' ? '' : '?')) + search,
    headers: sent === '{}' ? '' : sent,
    body,
  };
}

function text({ variable }: Language, value: string): string {
  const parts = partsOf(value).map((part) =>
    typeof part === 'string' ? JSON.stringify(part) : variable(part.variable),
  );
  return parts.join(' + ') || '""';
}

/** A member a line; `first` are members whose values are expressions already. */
function mapText(
  language: Language,
  members: readonly (readonly [string, string | JsonMembers])[],
  indent: string,
  first: readonly (readonly [string, string])[] = [],
): string {
  const inner = indent + language.step;
  const written = members.map(([name, value]) => {
    const expression =
      typeof value === 'string'
        ? text(language, value)
        : mapText(language, Object.entries(value), inner);
    return [name, expression] as const;
  });
  const lines = [...first, ...written].map(
    ([name, expression]) => `${inner}${JSON.stringify(name)}: ${expression},`,
  );
  return lines.length === 0 ? '{}' : ['{', ...lines, `${indent}}`].join('\n');
}

function authorization(language: Language, credentials: SampleCredentials): string {
  const { id, secret, scheme, encoding } = credentials;
  const encode = { form: language.formEncoded, base64: language.base64 };
  const pair =
    encoding === 'raw' || encoding === 'either'
      ? text(language, `${id}:${secret}`)
      : [id, secret].map((half) => encode[encoding](text(language, half))).join(' + ":" + ');
  const token = language.base64(pair);
  return scheme === undefined ? token : `"${scheme} " + ${token}`;
}
