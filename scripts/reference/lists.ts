// Owns the tables of the reference that list names instead of keys: failures, values, inputs,
// formats, characters, and the endpoints that the variants have.

import { loginReasons } from '../../src/oauth/login_reasons.ts';
import { reasons } from '../../src/oauth/reasons.ts';
import { warningNames } from '../../src/programme/checks/warnings.ts';
import type {
  PageFailure,
  RedirectFailure,
} from '../../src/programme/language/authorize_schema.ts';
import type { Definition } from '../../src/programme/language/definition.ts';
import type { ErrorMapping } from '../../src/programme/language/errors_schema.ts';
import type { EndpointDefinition } from '../../src/programme/language/input_schema.ts';
import { formatsOf, formatterOf } from '../../src/programme/language/value_format.ts';
import { characterRanges } from '../../src/programme/language/value_shape.ts';
import {
  errorVocabulary,
  nothing,
  redirectVocabulary,
  tokenVocabulary,
  type Vocabulary,
} from '../../src/programme/language/vocabularies.ts';
import { code } from '../../src/schema/key_words.ts';
import { hasKeys, notesOf, typesOf } from '../../src/schema/keys.ts';
import type { Schema } from '../../src/schema/walk.ts';
import type { Translation } from './json_schema.ts';
import { table, type Variants } from './markdown.ts';

/** The listed part of a variant's document. */
type Listed = Pick<Definition, 'authorize' | 'token_endpoints' | 'errors'>;

/** The tables that the page's template can name. */
export function listTables(variants: Variants): Readonly<Record<string, string>> {
  const listed = Object.entries(variants) as [string, Listed][];
  const names = listed.map(([name]) => name);
  return {
    failures: table(
      ['Reason', 'When', ...names],
      Object.entries(reasons).map(([reason, { text }]) => [
        code(reason),
        text,
        ...listed.map(([, { errors }]) => errorWords(errors.reasons, reason)),
      ]),
    ),
    'login failures': table(
      ['Failure', 'When', ...names],
      Object.entries(loginReasons).map(([reason, { text }]) => [
        code(reason),
        text,
        ...listed.map(([, { authorize }]) => failureWords(authorize.failures, reason)),
      ]),
    ),
    endpoints: table(
      ['Variant', 'Key', 'Path', 'Inputs'],
      listed.flatMap(([name, { authorize, token_endpoints }]) => [
        endpointRow(name, 'authorize.endpoint', authorize.endpoint),
        ...Object.entries(token_endpoints).map(([key, endpoint]) =>
          endpointRow(name, `token_endpoints.${key}`, endpoint),
        ),
      ]),
    ),
    warnings: `${warningNames.toSorted().map(code).join(', ')}.`,
    'token values': valuesTable(tokenVocabulary),
    'error values': valuesTable(errorVocabulary),
    'redirect values': valuesTable(redirectVocabulary),
    formats: table(['`as`', 'For a', 'Written'], formatRows()),
    inputs: table(
      ['Input', 'Request', 'Use'],
      Object.entries(inputTexts).map(([name, [where, use]]) => [code(name), where, use]),
    ),
    'character classes': table(
      ['Class', 'Characters', 'What they are'],
      Object.entries(characterRanges).map(([name, [range, text]]) => [
        code(name),
        code(range),
        text,
      ]),
    ),
  };
}

/** The types that have no keys, with their form where it is a pattern. */
export function kindsTable(schema: Schema, { definitions }: Translation): string {
  const rows = [...typesOf(schema)].flatMap(([name, type]) => {
    const pattern = definitions[name]?.pattern;
    const form = pattern === undefined ? '' : code(pattern);
    return hasKeys(type) ? [] : [[name.replaceAll('_', ' '), notesOf(type).text ?? '', form]];
  });
  return table(['Kind', 'What it is', 'Form'], rows);
}

function valuesTable({ values }: Vocabulary): string {
  const rows = Object.entries(values).map(([name, [, text]]) => [code(name), text]);
  return table(['Value', 'What it is'], [...rows, [code(nothing), '`null`.']]);
}

/** Each format, with the same lifetime, time or scope. */
function formatRows(): readonly string[][] {
  const samples = [
    ['span', 'lifetime', 1_800_000],
    ['instant', 'time', Date.UTC(2026, 0, 1)],
    ['scope', 'scope', 'read write'],
  ] as const;
  return samples.flatMap(([kind, word, value]) =>
    formatsOf(kind).map((format) => {
      const written = formatterOf(kind, format, (scope) => scope.split(' '))(value);
      return [code(format), word, code(JSON.stringify(written))];
    }),
  );
}

function errorWords(mapped: Readonly<Record<string, ErrorMapping>>, reason: string): string {
  const mapping = mapped[reason];
  if (mapping === undefined) return 'not mapped';
  const { status, error, error_description: text, challenge } = mapping;
  const details = [...(text === undefined ? [] : [text]), ...(challenge ? ['challenge'] : [])];
  return `${status} ${[code(error), ...details].join(', ')}`;
}

function failureWords(
  failures: Readonly<Record<string, PageFailure | RedirectFailure>>,
  reason: string,
): string {
  const failure = failures[reason];
  if (failure === undefined) return 'not mapped';
  if ('redirect' in failure) return `redirect, ${code(failure.redirect)}`;
  return `page, ${failure.page.status} ${failure.page.title}`;
}

function endpointRow(variant: string, key: string, endpoint: EndpointDefinition): string[] {
  const { methods, path, read, inputs } = endpoint;
  const words = Object.entries(inputs).map(([role, { in: place, name, required }]) => {
    const wire = name === undefined ? '' : ` as ${code(name)}`;
    const where = place === 'header' ? ' (header)' : '';
    return `${code(role)}${wire}${where}${required ? '\\*' : ''}`;
  });
  return [
    variant,
    code(key),
    `${methods.join(', ')} ${code(path)}, ${[read].flat().join(' or ')}`,
    words.join(', '),
  ];
}

/** What Jetway does with the inputs it knows by name. */
export const inputTexts: Readonly<Record<string, readonly [where: string, use: string]>> = {
  client_id: [
    'login, token',
    'Whose login it is; with `client_secret`, who authenticates by parameters.',
  ],
  client_secret: ['token', 'The secret of a client that authenticates by parameters.'],
  client_assertion: ['token', 'What a client has signed to authenticate (`private_key_jwt`).'],
  client_assertion_type: [
    'token',
    'Held to the URN of RFC 7523 2.2 where it is declared and `client_assertion` comes.',
  ],
  assertion: ['token', 'What a client has signed for the grant `jwt_bearer`.'],
  response_type: ['login', 'Must be declared; its failures have reasons of their own.'],
  redirect_uri: [
    'login, token',
    'Where the answer goes; at the token endpoint, compared with that.',
  ],
  state: ['login', 'Carried back to the partner (RFC 6749 4.1.1).'],
  response_mode: [
    'login',
    'Which of `query`, `fragment` and `form_post` the answer comes by; its `allowed` says which can be chosen.',
  ],
  scope: ['login, token', 'What is asked for.'],
  brand: ['login', 'Which of `login.brands` the page shows (P-3).'],
  ui_locales: [
    'login',
    'Languages for the pages, best first, with spaces between (OpenID Connect Core 3.1.2.1).',
  ],
  nonce: [
    'login',
    'Stands in the identity token (OpenID Connect Core 3.1.2.1); 1024 characters at most.',
  ],
  prompt: ['login', '`none` is answered with `login_required`: every login has its page.'],
  code_challenge: ['login', 'PKCE (RFC 7636).'],
  code_challenge_method: ['login', 'PKCE; `S256` is the only method.'],
  grant_type: [
    'token',
    'Chooses the grant. An endpoint that serves one grant can leave it undeclared or optional.',
  ],
  code: ['token', 'The code to redeem.'],
  code_verifier: ['token', 'PKCE.'],
  refresh_token: ['token', 'The refresh token to use.'],
  subject_token: ['token', 'The access token to exchange.'],
  subject_token_type: [
    'token',
    'What kind it says it is: `allowed` must say which values are taken (RFC 8693 3).',
  ],
  requested_token_type: [
    'token',
    'As `subject_token_type`; answers tell it as `issued_token_type`.',
  ],
  actor_token: ['token', 'Refused: there is no delegation. Ignored where it is not declared.'],
  username: ['token', 'Whose password it is (the grant `password`, P-9).'],
  password: ['token', "The member's password."],
  forwarded_for: [
    'login, token',
    "At the login, held to its form when the form is posted, too (P-13). With the grant `password`: what the partner says of its customer's address, for the directory behind a hook. No limit counts by it (P-6).",
  ],
};
