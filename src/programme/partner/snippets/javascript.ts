// Owns sample requests as JavaScript programs that need nothing but `fetch`.

import { listed } from '../../../lib/present.ts';
import type { SampleRequest } from '../../requests/sample_request.ts';
import { type Language, type Printed, writeRequest } from './program.ts';

const javascript: Language = {
  step: '  ',
  queryIndent: '',
  variable: (name) => `process.env.${name}`,
  base64: (text) => `btoa(${text})`,
  formEncoded: (text) => `encodeURIComponent(${text})`,
  json: (map) => `JSON.stringify(${map})`,
  form: (map) => `new URLSearchParams(${map})`,
};

/** Undefined where the client shows a certificate, for which `fetch` has no option. */
export function javascriptProgram(
  base: string,
  request: SampleRequest,
  { header }: Printed = {},
): string | undefined {
  if (request.certificate === true) return undefined;
  const { url, headers, body } = writeRequest(javascript, base, request);
  return listed<string>([
    `const answer = await fetch(${url}, {`,
    `  method: ${JSON.stringify(request.method)},`,
    headers !== '' && `  headers: ${headers},`,
    body !== '' && `  body: ${body},`,
    '});',
    'if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);',
    header !== undefined && `console.log("${header}:", answer.headers.get("${header}"));`,
    'console.log(await answer.text());',
  ]).join('\n');
}
