// Owns sample requests as Python programs that need nothing but the standard library.

import { listed } from '../../../lib/present.ts';
import type { SampleRequest } from '../../requests/sample_request.ts';
import { type Language, type Printed, writeRequest } from './program.ts';

const python: Language = {
  step: '    ',
  queryIndent: '    ',
  variable: (name) => `os.environ["${name}"]`,
  base64: (text) => `base64.b64encode((${text}).encode()).decode()`,
  formEncoded: (text) => `urllib.parse.quote_plus(${text})`,
  json: (map) => `json.dumps(${map})`,
  form: (map) => `urllib.parse.urlencode(${map})`,
};

const modules = ['base64', 'json', 'os', 'ssl', 'urllib.error', 'urllib.parse', 'urllib.request'];

export function pythonProgram(
  base: string,
  request: SampleRequest,
  { header }: Printed = {},
): string {
  const isShown = request.certificate === true;
  const { url, headers, body } = writeRequest(python, base, request);
  const program = listed<string>([
    isShown && [
      'certificate = ssl.create_default_context()',
      'certificate.load_cert_chain("partner.pem", "partner.key")',
    ],
    'request = urllib.request.Request(',
    `    ${url},`,
    `    method=${JSON.stringify(request.method)},`,
    headers !== '' && `    headers=${headers},`,
    body !== '' && `    data=${body}.encode(),`,
    ')',
    'try:',
    `    with urllib.request.urlopen(request${isShown ? ', context=certificate' : ''}) as answer:`,
    header !== undefined && `        print("${header}:", answer.headers["${header}"])`,
    '        print(answer.read().decode())',
    'except urllib.error.HTTPError as refused:',
    '    raise SystemExit(f"{refused.code} {refused.read().decode()}")',
  ]).join('\n');
  const used = modules.filter((name) => program.includes(`${name}.`));
  return `import ${used.join(', ')}\n\n${program}`;
}
