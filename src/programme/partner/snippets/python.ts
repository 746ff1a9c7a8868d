// Owns sample requests as Python programs that need nothing but the standard library.

import type { SampleCredentials } from '../../requests/sample_proof.ts';
import type { SampleRequest } from '../../requests/sample_request.ts';
import { mapWriter, type Printed, type TextWriter } from './literals.ts';
import { partsOf } from './variables.ts';

const text: TextWriter = (value) =>
  partsOf(value)
    .map((part) =>
      typeof part === 'string' ? JSON.stringify(part) : `os.environ["${part.variable}"]`,
    )
    .join(' + ') || '""';

const map = mapWriter(text, '    ');
const indent = '    ';

const modules = ['base64', 'json', 'os', 'ssl', 'urllib.error', 'urllib.parse', 'urllib.request'];

export function pythonProgram(
  base: string,
  request: SampleRequest,
  { header }: Printed = {},
): string {
  const { method, path, query, certificate } = request;
  const isShown = certificate === true;
  const search = query.length === 0 ? '' : ` + urllib.parse.urlencode(${map(query, indent)})`;
  const url = text(base + path + (search === '' ? '' : '?')) + search;
  const sent = headersOf(request);
  const body = bodyOf(request);
  const lines = [
    ...(isShown
      ? [
          'certificate = ssl.create_default_context()',
          'certificate.load_cert_chain("partner.pem", "partner.key")',
        ]
      : []),
    'request = urllib.request.Request(',
    `    ${url},`,
    `    method=${text(method)},`,
    ...(sent === '' ? [] : [`    headers=${sent},`]),
    ...(body === '' ? [] : [`    data=${body}.encode(),`]),
    ')',
    'try:',
    `    with urllib.request.urlopen(request${isShown ? ', context=certificate' : ''}) as answer:`,
    ...(header === undefined ? [] : [`        print("${header}:", answer.headers["${header}"])`]),
    '        print(answer.read().decode())',
    'except urllib.error.HTTPError as refused:',
    '    raise SystemExit(f"{refused.code} {refused.read().decode()}")',
  ];
  const program = lines.join('\n');
  const used = modules.filter((name) => program.includes(`${name}.`));
  return `import ${used.join(', ')}\n\n${program}`;
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
  if (json !== undefined) return `json.dumps(${map(Object.entries(json), indent)})`;
  return form === undefined ? '' : `urllib.parse.urlencode(${map(form, indent)})`;
}

function authorization({ id, secret, scheme, encoding }: SampleCredentials): string {
  const pair = pairs[encoding](id, secret);
  const token = `base64.b64encode((${pair}).encode()).decode()`;
  return scheme === undefined ? token : `"${scheme} " + ${token}`;
}

const plain = (id: string, secret: string): string => text(`${id}:${secret}`);
const base64 = (value: string): string => `base64.b64encode((${text(value)}).encode()).decode()`;

const pairs: Readonly<
  Record<SampleCredentials['encoding'], (id: string, secret: string) => string>
> = {
  raw: plain,
  either: plain,
  form: (id, secret) =>
    `urllib.parse.quote_plus(${text(id)}) + ":" + urllib.parse.quote_plus(${text(secret)})`,
  base64: (id, secret) => `${base64(id)} + ":" + ${base64(secret)}`,
};
