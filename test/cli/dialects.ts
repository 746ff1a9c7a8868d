// Owns the dialects that what `dev` prints is tried in: every one there is a file of, and odd ones.

import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { referencePaths } from '../../scripts/reference.ts';

const root = join(import.meta.dirname, '../..');

/** Every dialect there is a file of: foreign ones, shipped ones, and the reference's example. */
export const dialects: Map<string, string> = new Map(
  globSync('{test/dialects,programmes}/*.yaml', { cwd: root })
    .toSorted()
    .map((path) => [basename(path, '.yaml'), readFileSync(join(root, path), 'utf8')]),
);
const page = readFileSync(join(root, referencePaths.page), 'utf8');
const [, example = ''] = /^```yaml\n([^`]*base_path:[^`]*)```\n/m.exec(page) ?? [];
dialects.set('harbour-hotels', example);

/** Its codes hold what JSON, addresses and shells each write in their own way. */
dialects.set(
  'odd-codes',
  `variant: grant
name: Odd Club
programme_identifier: Odd
base_path: /odd
code: { prefix: ' "\\+%', characters: printable, length: 200, lifetime: 1m }
client: { authentication: { methods: [parameters] } }
token_endpoints: { grant: { read: json } }
`,
);

/** Two that share a path, and ask for all that there is to ask for. */
for (const [id, name, isDefault] of [
  ['strict', 'Strict', true],
  ['stricter', 'Stricter', false],
] as const) {
  const selector = `programme: { in: header, name: X-Programme, required: ${!isDefault}, must_equal: programme.identifier }`;
  const more = `partner: { in: header, name: X-Partner, required: true, characters: letters, length: 1..50, must_equal: client.business_context }`;
  dialects.set(
    id,
    `variant: grant
name: ${name} Club
programme_identifier: ${name}
base_path: /strict
selector: { input: programme, default: ${isDefault} }
client: { authentication: { methods: [bare_basic] } }
verify: { api_key_header: X-Key, headers: required }
authorize:
  pkce: required
  redirect_uri: required
  answer: { code: "the=code*", error: err }
  endpoint: { methods: [POST], inputs: { ${selector}, response_type: { allowed: [login] } } }
token_endpoints:
  grant:
    unknown: refuse
    inputs:
      ${selector}
      ${more}
      accept: { in: header, required: true, format: accepts_json }
      redirect_uri: { required: true }
      scope: { required: true }
      code: { characters: lower_hex, length: 64 }
      refresh_token: { length: 20..200 }
`,
  );
}
