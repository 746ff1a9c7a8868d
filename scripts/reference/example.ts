// Owns examples of the reference: from a line of YAML to a whole file in which it stands.

import { toPlain } from '../../src/lib/document.ts';
import { parseYaml, stringifyYaml } from '../../src/lib/yaml/yaml.ts';
import type { KeyDoc } from './key_doc.ts';

type Plain = Readonly<Record<string, unknown>>;

/** The value that an example shows. */
export function parseExample(text: string): unknown {
  return parseMap(`value: ${text}`)['value'];
}

function parseMap(text: string): Plain {
  const { root, faults } = parseYaml('example', text);
  if (root?.kind !== 'map' || faults.length > 0) {
    throw new Error(`this example is not YAML: ${text}: ${faults[0]?.message ?? 'no map'}`);
  }
  return toPlain(root) as Plain;
}

/** Where the keys of a type stand in a file: each type at one of the places it can have. */
const homes: Readonly<Record<string, (key: string, value: string) => string>> = {
  endpoint: (key, value) => `token_endpoints: { grant: { ${key}: ${value} } }`,
  input: (key, value) => `token_endpoints: { grant: { inputs: { device: { ${key}: ${value} } } } }`,
  value_shape: (key, value) => `client: { identifier: { ${key}: ${value} } }`,
  grant: (key, value) => `grants: { client_credentials: { ${key}: ${value} } }`,
  field: (key, value) => `token_response: { fields: { extra: { ${key}: ${value} } } }`,
  page_failure: (key, value) =>
    `authorize: { failures: { invalid_scope: ${nested(key.split('.'), value)} } }`,
  login_failure: (key, value) => `authorize: { failures: { invalid_scope: { ${key}: ${value} } } }`,
  error_answer: (key, value) => `errors: { reasons: { invalid_code: { ${key}: ${value} } } }`,
  error_group: (key, value) =>
    `errors: { groups: [{ ${key === 'reasons' ? '' : 'reasons: [invalid_code], '}${key}: ${value} }] }`,
  page_text: (key, value) => `login: { pages: { expired: { ${key}: ${value} } } }`,
  login_messages: (key, value) => `login: { messages: { ${key}: ${value} } }`,
  login_labels: (key, value) => `login: { labels: { ${key}: ${value} } }`,
  language: (key, value) => `login: { languages: { fr: ${nested(key.split('.'), value)} } }`,
  brand: (key, value) => `login: { brands: { Harbour: { ${key}: ${value} } } }`,
  colour_scheme: (key, value) => `login: { colours: { light: { ${key}: ${value} } } }`,
  level_scope: (key, value) => `scope: { ${key}: ${value} }`,
  list_scope: (key, value) => `scope: { ${key}: ${value} }`,
};

/** A whole programme file in which the example of a key stands. */
export function exampleFile(path: string, doc: KeyDoc): string {
  const steps = path.split('.');
  const home = homes[steps[0] ?? ''];
  const over = home
    ? home(steps.slice(1).join('.'), doc.example)
    : nested(steps, doc.example).slice(1, -1);
  const base = [
    `variant: ${doc.on ?? 'grant'}`,
    'name: Example',
    'programme_identifier: Example',
    'base_path: /example',
  ].join('\n');
  return stringifyYaml([base, doc.beside ?? '{}', over].map(parseMap).reduce(besides));
}

/** Two maps as one; unlike where a file is laid over a variant, nulls stay. */
function besides(one: Plain, other: Plain): Plain {
  const joined = Object.entries(other).map(([key, value]) => {
    const present = one[key];
    return [key, isMap(present) && isMap(value) ? besides(present, value) : value];
  });
  return { ...one, ...(Object.fromEntries(joined) as Plain) };
}

function isMap(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nested(steps: readonly string[], value: string): string {
  return steps.reduceRight((inner, step) => `{ ${step}: ${inner} }`, value);
}
