// Owns turning sample requests into commands that can be pasted into a shell.

import type { SampleRequest } from '../programme/sample_request.ts';

/**
 * A curl command for the request. Values are quoted for a POSIX shell; one that begins with `$`
 * is a shell variable and stays one.
 */
export function curlCommand(base: string, request: SampleRequest, flags = '-s'): string {
  const { method, path, query, headers, credentials, form, json } = request;
  const words = ['curl', flags];
  if (method !== 'GET' && form === undefined) words.push('-X', method);
  if (credentials?.bare === true) {
    const token = Buffer.from(`${credentials.id}:${credentials.secret}`).toString('base64');
    words.push('-H', shellWord(`authorization: ${token}`));
  } else if (credentials !== undefined) {
    words.push('-u', shellWord(`${credentials.id}:${credentials.secret}`));
  }
  for (const [name, value] of headers) words.push('-H', shellWord(`${name}: ${value}`));
  for (const [name, value] of form ?? []) words.push('-d', shellWord(pair(name, value)));
  if (json !== undefined) {
    words.push('-H', shellWord('content-type: application/json'));
    words.push('-d', shellWord(JSON.stringify(json)));
  }
  const search = query.map(([name, value]) => pair(name, value)).join('&');
  words.push(shellWord(base + path + (search === '' ? '' : `?${search}`)));
  return words.join(' ');
}

function pair(name: string, value: string): string {
  return `${name}=${isVariable(value) ? value : encodeURIComponent(value)}`;
}

function isVariable(value: string): boolean {
  return /^\$[A-Z]+$/.test(value);
}

/** A word as a shell reads it back; double quotes only where a variable is to be filled in. */
function shellWord(text: string): string {
  if (/\$[A-Z]+/.test(text)) return `"${text.replaceAll(/["\\`]/g, String.raw`\$&`)}"`;
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
