// Faults across keys are told beside those of single keys, and none that only follows from one.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { toPlain } from '../../../src/lib/document.ts';
import { type Fault, formatFault } from '../../../src/lib/fault.ts';
import { parseYaml, stringifyYaml } from '../../../src/lib/yaml/yaml.ts';
import { loadProgramme } from '../../../src/programme/language/load.ts';
import { step } from '../../support/property.ts';

const head = 'variant: grant\nname: A\nprogramme_identifier: A\nbase_path: /a\n';

function told(text: string): readonly string[] {
  return loadProgramme('a.yaml', head + text).faults.map(formatFault);
}

test('one round tells what no schema refuses, too, warnings included', () => {
  const text = `code: { lifetime: 2 minutes }
webhooks: { url: https://a.example }
grants: { client_credentials: { endpoint: grants } }
scope: { client: LOW }
token_endpoints: { grant: { repeated: last } }
`;
  assert.deepEqual(told(text), [
    'a.yaml:5:19: error: expected a duration: a whole number and a unit (ms, s, m, h, d), such as 30m',
    'a.yaml:6:1: error: unknown key "webhooks" (there are no webhooks: the log and the audit stream tell what happened (docs/operations.md))',
    'a.yaml:7:43: error: there is no token endpoint "grants" (token_endpoints has grant)',
    'a.yaml:8:18: error: "LOW" is none of the levels in scope.values (there are AUTHN-LEVEL-10, AUTHN-LEVEL-12, AUTHN-LEVEL-15)',
    'a.yaml:9:18: warning: clients that send client_secret beside the header are refused, and many do (RFC 6749 2.3) (set client.authentication.when_both to header to let the header alone count, or to refuse) [both_refused]',
    'a.yaml:9:39: warning: a parameter sent more than once is not refused (RFC 6749 3.1 and 3.2) (the last value counts, whatever stands between client and service) [repeated_parameters]',
  ]);
});

test('a check that reads a key at fault, or that a misspelt one meant, says nothing', () => {
  const other = 'path: /x, methods: [POST], inputs: { grant_type: {}, scope: {} }';
  const grants = 'grants: { client_credentials: { endpoint: other } }\n';
  const missing = told(grants);
  assert.equal(missing.length, 1);
  for (const [endpoints, fault] of [
    [
      `token_endpoint: { other: { ${other} } }\n`,
      'a.yaml:5:1: error: unknown key "token_endpoint" (did you mean "token_endpoints"?)',
    ],
    [
      `token_endpoints: { other: { ${other.replace('[POST]', '[PUT]')} } }\n`,
      'a.yaml:5:49: error: expected one of GET, POST; found "PUT" (there are no other methods than GET and POST)',
    ],
    [`token_endpoints: { other: 7 }\n`, 'a.yaml:5:27: error: expected a map, found the number 7'],
  ] as const) {
    assert.deepEqual(told(endpoints + grants), [fault]);
  }
});

test('a key that stands for none hides nothing around it; one that stands for another does', () => {
  const grants = 'password: { endpoint: grant, role: member }';
  const lacking =
    'a.yaml:5:37: error: the token endpoint "grant" lacks the inputs of this grant: username, password (add token_endpoints: { grant: { inputs: { username: {}, password: {} } } })';
  assert.deepEqual(
    told(`grants: { implicit: {}, ${grants} }\n`).filter((text) => !text.includes(' warning: ')),
    [
      'a.yaml:5:11: error: unknown key "implicit" (there is no implicit grant: RFC 9700 2.1.2 advises against it)',
      lacking.replace(':37:', ':35:'),
    ],
  );
  const other = 'path: /x, methods: [POST], parameters: { grant_type: {}, scope: {} }';
  assert.deepEqual(
    told(`token_endpoints: { other: { ${other} } }
grants: { client_credentials: { endpoint: other } }
`),
    [
      'a.yaml:5:27: error: "inputs" is missing',
      'a.yaml:5:56: error: unknown key "parameters" (write inputs)',
    ],
  );
});

type Tree = Readonly<Record<string, unknown>>;

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Copies of a file with one key each spoiled or misspelt, and the path of that key. */
function* spoiled(file: Tree, at: readonly string[] = []): Iterable<readonly [string, Tree]> {
  for (const [name, value] of Object.entries(file)) {
    const path = [...at, name];
    if (path[0] === 'variant') continue;
    const { [name]: _, ...others } = file;
    yield [path.join('.'), { ...file, [name]: -1 }];
    yield [path.join('.'), { ...others, [`${name}q`]: value }];
    if (!isTree(value)) continue;
    for (const [where, inner] of spoiled(value, path)) yield [where, { ...file, [name]: inner }];
  }
}

for (const [index, file] of globSync('test/dialects/*.yaml').toSorted().entries()) {
  test(`${file}: no fault of one key makes one of another`, () => {
    const { root } = parseYaml(file, readFileSync(file, 'utf8'));
    assert.ok(root !== undefined);
    for (const [turn, [path, tree]] of [...spoiled(toPlain(root) as Tree)].entries()) {
      // Others in each file.
      if ((turn + index) % step !== 0) continue;
      const { faults } = loadProgramme('a.yaml', stringifyYaml(tree));
      const errors = faults.filter(({ severity }) => severity === 'error');
      // A name that a file chooses is no fault of its own.
      const isRefused = errors.some(
        ({ path: at, message }) =>
          at === path || (at === `${path}q` && message.startsWith('unknown key')),
      );
      const around = path.slice(0, Math.max(0, path.lastIndexOf('.')));
      const isOfSchema = ({ path: at, message }: Fault): boolean =>
        at.startsWith(around) && /^unknown key| is missing$/.test(message);
      const elsewhere = errors.filter(
        (fault) =>
          !path.startsWith(fault.path) && !fault.path.startsWith(path) && !isOfSchema(fault),
      );
      if (isRefused) assert.deepEqual(elsewhere.map(formatFault), [], path);
    }
  });
}
