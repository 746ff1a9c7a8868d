// Owns sending what a dialect asks for: sample requests put on the wire, as they are or with one
// thing about them changed.

import { authorizationOf, type SampleRequest } from '../../../src/contract/samples/requests.ts';
import { RequestRecord } from '../../../src/oauth/request_record.ts';
import type { WireRequest } from '../../../src/oauth/wire_request.ts';
import { multipartText, multipartType } from '../../support/multipart.ts';
import { type Answer, ask } from '../../support/wire.ts';

/** A request in parts that tests change one at a time. */
export interface Draft {
  readonly method: string;
  readonly path: string;
  readonly query: readonly Pair[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: { readonly type: BodyType; readonly fields: readonly Pair[] };
}

type BodyType = 'form' | 'multipart' | 'json';

const types: Readonly<Record<BodyType, string>> = {
  form: 'application/x-www-form-urlencoded',
  multipart: multipartType,
  json: 'application/json',
};

export type Pair = readonly [name: string, value: string];

/** A sample request in parts. */
export function draftOf(sample: SampleRequest): Draft {
  const { method, path, query, credentials, form, multipart, json } = sample;
  const authorization = credentials && authorizationOf(credentials);
  // None of these dialects has objects in its bodies.
  const fields = form ?? (json && (Object.entries(json) as unknown as readonly Pair[]));
  const asForm = multipart === true ? 'multipart' : 'form';
  const type = json === undefined ? asForm : 'json';
  return {
    method,
    path,
    query,
    headers: {
      ...Object.fromEntries(sample.headers),
      ...(authorization === undefined ? {} : { authorization }),
    },
    ...(fields === undefined ? {} : { body: { type, fields } }),
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
  return { ...(body === undefined ? {} : { 'content-type': types[body.type] }), ...headers };
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
  if (body.type === 'multipart') return multipartText(body.fields);
  const members = body.fields.map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  );
  return `{${members.join(',')}}`;
}

function encoded(pairs: readonly Pair[]): string {
  return new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString();
}
