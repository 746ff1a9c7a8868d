// Owns sending what a dialect asks for: sample requests put on the wire, as they are or with one
// thing about them changed.

import { authorizationOf, type SampleRequest } from '../../../src/contract/samples/requests.ts';
import { RequestRecord } from '../../../src/oauth/request_record.ts';
import type { WireRequest } from '../../../src/oauth/wire_request.ts';
import { type Answer, ask } from '../../support/wire.ts';

/** A request in parts that tests change one at a time. */
export interface Draft {
  readonly method: string;
  readonly path: string;
  readonly query: readonly Pair[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: { readonly type: 'form' | 'json'; readonly fields: readonly Pair[] };
}

export type Pair = readonly [name: string, value: string];

/** A sample request in parts. */
export function draftOf(sample: SampleRequest): Draft {
  const { method, path, query, credentials, form, json } = sample;
  const authorization = credentials && authorizationOf(credentials);
  // None of these dialects has objects in its bodies.
  const fields = form ?? (json && (Object.entries(json) as unknown as readonly Pair[]));
  return {
    method,
    path,
    query,
    headers: {
      ...Object.fromEntries(sample.headers),
      ...(authorization === undefined ? {} : { authorization }),
    },
    ...(fields === undefined ? {} : { body: { type: json ? 'json' : 'form', fields } }),
  };
}

/** Sends a draft; `raw` stands for its body, of whatever type. */
export function sendDraft(base: string, draft: Draft, raw?: string): Promise<Answer> {
  const text = raw ?? bodyOf(draft);
  return ask(base, targetOf(draft), {
    method: draft.method,
    headers: headersOf(draft),
    ...(text === undefined ? {} : { body: text }),
  });
}

/** A draft as the engine gets it from a server. */
export function wireRequest(draft: Draft, raw?: string): WireRequest {
  const body = Buffer.from(raw ?? bodyOf(draft) ?? '');
  const { method, path, query } = draft;
  return {
    method,
    path,
    query: encoded(query),
    rawHeaders: Object.entries(headersOf(draft)).flat(),
    body: body.length > 65_536 ? 'too_large' : body,
    address: () => '192.0.2.1',
    certificate: () => undefined,
    record: new RequestRecord('POST'),
    hangUp: () => new AbortController().signal,
  };
}

function headersOf({ headers, body }: Draft): Readonly<Record<string, string>> {
  const type = body?.type === 'json' ? 'application/json' : 'application/x-www-form-urlencoded';
  return { ...(body === undefined ? {} : { 'content-type': type }), ...headers };
}

export function targetOf({ path, query }: Draft): string {
  return path + (query.length === 0 ? '' : `?${encoded(query)}`);
}

/** Its parameters, wherever they are, with others in their place. */
export function withParameters(draft: Draft, change: (pairs: readonly Pair[]) => Pair[]): Draft {
  const { body } = draft;
  if (body === undefined) return { ...draft, query: change(draft.query) };
  return { ...draft, body: { ...body, fields: change(body.fields) } };
}

/** Members one by one: a name may be there twice. */
function bodyOf({ body }: Draft): string | undefined {
  if (body === undefined) return undefined;
  if (body.type === 'form') return encoded(body.fields);
  const members = body.fields.map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  );
  return `{${members.join(',')}}`;
}

function encoded(pairs: readonly Pair[]): string {
  return new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString();
}
