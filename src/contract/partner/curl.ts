// Owns sample requests as curl commands, with variables for values that a reader sets, and commands that take a
// token out of an answer.

import type { TokenPlace } from '../../programme/answers/token_place.ts';
import type { SampleCredentials } from '../samples/proof.ts';
import { authorizationOf, type SampleRequest } from '../samples/requests.ts';

/** A curl command for the request, in one line of POSIX shell. */
export function curlCommand(base: string, request: SampleRequest, flags = '-s'): string {
  return ['curl', flags, ...requestWords(base, request)].join(' ');
}

/** The same command in several lines, for people. */
export function curlLines(base: string, request: SampleRequest, flags = '-i'): string {
  return [`curl ${flags}`, ...requestWords(base, request)].join(' \\\n  ');
}

/** The words after `curl` and its flags. */
function requestWords(base: string, request: SampleRequest): readonly string[] {
  const { method, path, query, headers, credentials, certificate, form, json, raw } = request;
  const dataWord = request.multipart === true ? partWord : pairWord;
  const body = raw ?? (json && { type: 'application/json', text: JSON.stringify(json) });
  const isBodiless = body === undefined && form === undefined;
  // curl cannot encode variables in a URL; with -G it moves data to the query, and encodes them.
  const asData = isBodiless && query.some(([, value]) => hasVariable(value));
  const words: string[] = [];
  if (certificate === true) words.push('--cert partner.pem', '--key partner.key');
  if (asData) words.push('-G');
  if (method !== (isBodiless ? 'GET' : 'POST')) words.push(`-X ${method}`);
  if (credentials !== undefined) words.push(credentialWord(credentials));
  for (const [name, value] of headers) words.push(`-H ${shellWord(`${name}: ${value}`)}`);
  // Without any data, curl would send no form.
  if (form?.length === 0) words.push("-d ''");
  for (const [name, value] of asData ? query : (form ?? [])) words.push(dataWord(name, value));
  if (body !== undefined) {
    words.push(`-H ${shellWord(`content-type: ${body.type}`)}`);
    words.push(`--data-raw ${shellWord(body.text)}`);
  }
  const search = asData ? '' : query.map(([name, value]) => pair(name, value)).join('&');
  words.push(shellWord(base + path + (search === '' ? '' : `?${search}`)));
  return words;
}

/** Unlike -F, it takes a value that begins with @ or < as it is. */
function partWord(name: string, value: string): string {
  return `--form-string ${shellWord(`${name}=${value}`)}`;
}

function pairWord(name: string, value: string): string {
  if (!hasVariable(value)) return `-d ${shellWord(pair(name, value))}`;
  return `--data-urlencode ${shellWord(`${encodeURIComponent(name)}=${value}`)}`;
}

function credentialWord(credentials: SampleCredentials): string {
  const { id, secret, scheme, encoding } = credentials;
  const encode = encoders[encoding];
  const joined = `${encode(id)}:${encode(secret)}`;
  if (scheme === 'Basic') return `-u ${joined}`;
  const word = scheme === undefined ? '' : `${scheme} `;
  return hasVariable(id + secret)
    ? `-H "Authorization: ${word}$(printf %s ${joined} | base64 | tr -d '\\n')"`
    : `-H ${shellWord(`authorization: ${authorizationOf(credentials)}`)}`;
}

const encoders: Readonly<Record<SampleCredentials['encoding'], (text: string) => string>> = {
  raw: shellWord,
  either: shellWord,
  // What Jetway generates is the same encoded.
  form: (text) => shellWord(hasVariable(text) ? text : encodeURIComponent(text)),
  base64: base64Word,
};

function base64Word(text: string): string {
  if (!hasVariable(text)) return shellWord(base64(text));
  return `"$(printf %s ${shellWord(text)} | base64 | tr -d '\\n')"`;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** A command that extracts a token from `$from` into `$to`. Each cookie is a header line of its own there. */
export function takeOut(from: string, to: string, { header, behind, before }: TokenPlace): string {
  const inHead = (text: string): string => text.replaceAll('\n', `\r\n${header}: `);
  const landmarks = header === undefined ? behind : [`${header}: `, ...behind.map(inHead)];
  const end = header !== undefined && before === '' ? '\r' : before;
  const begin = landmarks.map((text) => `*${quoted(text)}`).join('');
  const cut = `${to}=\${${begin === '' ? from : `${from}#${begin}`}}`;
  return end === '' ? cut : `${cut}; ${to}=\${${to}%%${quoted(end)}*}`;
}

function pair(name: string, value: string): string {
  return `${encodeURIComponent(name)}=${hasVariable(value) ? value : encodeURIComponent(value)}`;
}

/** Quotes a word for the shell. */
export function shellWord(text: string): string {
  return partsOf(text).map(shellPart).join('') || "''";
}

function shellPart(part: Part): string {
  if (typeof part !== 'string') return `"$${part.variable}"`;
  return /^[\w@%+=:,./-]*$/.test(part) ? part : quoted(part);
}

/** Control characters would break the line. */
function quoted(text: string): string {
  // eslint-disable-next-line no-control-regex -- the test is for control characters
  if (!/[\u0000-\u001f]/.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return `$${JSON.stringify(text)
    .replaceAll("'", String.raw`\'`)
    .replaceAll(/^"|"$/g, "'")}`;
}

/** A variable of that name; no text of a programme contains these characters. */
export function variable(name: string): string {
  return `\u{E000}${name}\u{E001}`;
}

const form = /\u{E000}(\w+)\u{E001}/u;

export type Part = string | { readonly variable: string };

function hasVariable(text: string): boolean {
  return form.test(text);
}

/** The texts and variables of a text, without empty ones. */
function partsOf(text: string): readonly Part[] {
  return text
    .split(form)
    .map((part, index) => (index % 2 === 1 ? { variable: part } : part))
    .filter((part) => part !== '');
}

/** The text with each variable as `write` writes it, and the rest as `writeText` does. */
export function withVariables(
  text: string,
  write: (name: string) => string,
  writeText: (text: string) => string = String,
): string {
  return partsOf(text)
    .map((part) => (typeof part === 'string' ? writeText(part) : write(part.variable)))
    .join('');
}
