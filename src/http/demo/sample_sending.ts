// Owns sending sample requests: as curl commands, and over HTTP.

import { present } from '../../lib/present.ts';
import type { TokenPlace } from '../../programme/answers/token_place.ts';
import type { SampleRequest } from '../../programme/requests/sample_request.ts';

/** A value that the shell inserts. No text of a programme contains these characters. */
export function shellVariable(name: string): string {
  return `\u{E000}${name}\u{E001}`;
}

const variables = /\u{E000}(\w+)\u{E001}/u;

/** A curl command for the request, in one line of POSIX shell. */
export function curlCommand(base: string, request: SampleRequest, flags = '-s'): string {
  return ['curl', flags, ...requestWords(base, request)].join(' ');
}

/** The same command in several lines, for people. */
export function curlLines(base: string, request: SampleRequest): string {
  return ['curl -i', ...requestWords(base, request)].join(' \\\n  ');
}

/** The words after `curl` and its flags. */
function requestWords(base: string, request: SampleRequest): readonly string[] {
  const { method, path, query, headers, credentials, form, json, raw } = request;
  const body = raw ?? (json && { type: 'application/json', text: JSON.stringify(json) });
  const words: string[] = [];
  const usual = body === undefined && form === undefined ? 'GET' : 'POST';
  if (method !== usual) words.push(`-X ${method}`);
  if (credentials?.bare === true) {
    words.push(`-H ${shellWord(`authorization: ${basicToken(credentials)}`)}`);
  } else if (credentials !== undefined) {
    words.push(`-u ${shellWord(`${credentials.id}:${credentials.secret}`)}`);
  }
  for (const [name, value] of headers) words.push(`-H ${shellWord(`${name}: ${value}`)}`);
  // Without any data, curl would send no form.
  if (form?.length === 0) words.push("-d ''");
  for (const [name, value] of form ?? []) words.push(`-d ${shellWord(pair(name, value))}`);
  if (body !== undefined) {
    words.push(`-H ${shellWord(`content-type: ${body.type}`)}`);
    words.push(`--data-raw ${shellWord(body.text)}`);
  }
  const search = query.map(([name, value]) => pair(name, value)).join('&');
  words.push(shellWord(base + path + (search === '' ? '' : `?${search}`)));
  return words;
}

/** A command that extracts a token from `$from` into `$to`. */
export function takeOut(from: string, to: string, { header, behind, before }: TokenPlace): string {
  const landmarks = header === undefined ? behind : [`${header}: `, ...behind];
  const end = header !== undefined && before === '' ? '\r' : before;
  const begin = landmarks.map((text) => `*${quoted(text)}`).join('');
  const cut = `${to}=\${${begin === '' ? from : `${from}#${begin}`}}`;
  return end === '' ? cut : `${cut}; ${to}=\${${to}%%${quoted(end)}*}`;
}

function pair(name: string, value: string): string {
  return `${encodeURIComponent(name)}=${variables.test(value) ? value : encodeURIComponent(value)}`;
}

/** Quotes a word for the shell. */
export function shellWord(text: string): string {
  const parts = text.split(variables);
  const words = parts.map((part, index) => {
    if (index % 2 === 1) return `"$${part}"`;
    return /^[\w@%+=:,./-]*$/.test(part) ? part : quoted(part);
  });
  return words.join('') || "''";
}

/** Control characters would break the line. */
function quoted(text: string): string {
  // eslint-disable-next-line no-control-regex -- the test is for control characters
  if (!/[\u0000-\u001f]/.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return `$${JSON.stringify(text)
    .replaceAll("'", String.raw`\'`)
    .replaceAll(/^"|"$/g, "'")}`;
}

export interface SampleAnswer {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a sample request; follows no redirect. */
export async function sendSample(base: string, request: SampleRequest): Promise<SampleAnswer> {
  const { method, path, query, credentials, form, json, raw } = request;
  const headers = new Headers(request.headers.map(([name, value]) => [name, value]));
  if (credentials !== undefined) {
    const token = basicToken(credentials);
    headers.set('authorization', credentials.bare ? token : `Basic ${token}`);
  }
  if (json !== undefined) headers.set('content-type', 'application/json');
  if (raw !== undefined) headers.set('content-type', raw.type);
  const search = encoded(query)?.toString() ?? '';
  const body = raw?.text ?? (json && JSON.stringify(json)) ?? encoded(form);
  const response = await fetch(base + path + (search === '' ? '' : `?${search}`), {
    method,
    headers,
    redirect: 'manual',
    ...present({ body }),
  });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}

function encoded(pairs: SampleRequest['form']): URLSearchParams | undefined {
  return pairs && new URLSearchParams(pairs.map(([name, value]) => [name, value]));
}

function basicToken({ id, secret }: NonNullable<SampleRequest['credentials']>): string {
  return Buffer.from(`${id}:${secret}`).toString('base64');
}
