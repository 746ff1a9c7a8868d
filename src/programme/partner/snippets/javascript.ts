// Owns sample requests as JavaScript programs that need nothing but `fetch`.

import type { SampleCredentials } from '../../requests/sample_proof.ts';
import type { SampleRequest } from '../../requests/sample_request.ts';
import { mapWriter, type Printed, type TextWriter } from './literals.ts';
import { partsOf } from './variables.ts';

const text: TextWriter = (value) =>
  partsOf(value)
    .map((part) =>
      typeof part === 'string' ? JSON.stringify(part) : `process.env.${part.variable}`,
    )
    .join(' + ') || '""';

const map = mapWriter(text, '  ');
const indent = '  ';

/** Undefined where the client shows a certificate, for which `fetch` has no option. */
export function javascriptProgram(
  base: string,
  request: SampleRequest,
  { header }: Printed = {},
): string | undefined {
  const { method, path, query, certificate } = request;
  if (certificate === true) return undefined;
  const search = query.length === 0 ? '' : ` + new URLSearchParams(${map(query, '')})`;
  const url = text(base + path + (search === '' ? '' : '?')) + search;
  const sent = headersOf(request);
  const body = bodyOf(request);
  return [
    `const answer = await fetch(${url}, {`,
    `  method: ${text(method)},`,
    ...(sent === '' ? [] : [`  headers: ${sent},`]),
    ...(body === '' ? [] : [`  body: ${body},`]),
    '});',
    'if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);',
    ...(header === undefined
      ? []
      : [`console.log("${header}:", answer.headers.get("${header}"));`]),
    'console.log(await answer.text());',
  ].join('\n');
}

function headersOf({ headers, credentials, json, raw }: SampleRequest): string {
  const type = json === undefined ? raw?.type : 'application/json';
  const own = type === undefined ? [] : ([['Content-Type', type]] as const);
  const proof =
    credentials === undefined ? [] : ([['Authorization', authorization(credentials)]] as const);
  const all = map([...headers, ...own], indent, proof);
  return all === '{}' ? '' : all;
}

function bodyOf({ form, json, raw }: SampleRequest): string {
  if (raw !== undefined) return text(raw.text);
  if (json !== undefined) return `JSON.stringify(${map(Object.entries(json), indent)})`;
  return form === undefined ? '' : `new URLSearchParams(${map(form, indent)})`;
}

function authorization({ id, secret, scheme, encoding }: SampleCredentials): string {
  const token = `btoa(${pairs[encoding](id, secret)})`;
  return scheme === undefined ? token : `"${scheme} " + ${token}`;
}

const plain = (id: string, secret: string): string => text(`${id}:${secret}`);

const pairs: Readonly<
  Record<SampleCredentials['encoding'], (id: string, secret: string) => string>
> = {
  raw: plain,
  either: plain,
  form: (id, secret) =>
    `encodeURIComponent(${text(id)}) + ":" + encodeURIComponent(${text(secret)})`,
  base64: (id, secret) => `btoa(${text(id)}) + ":" + btoa(${text(secret)})`,
};
