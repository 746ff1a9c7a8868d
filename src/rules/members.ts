// Owns the checks of where members are known, of their numbers, and of the login page that they meet: its languages,
// its texts and its colours.

import type { Definition } from '../language/definition.ts';
import { languageSchema } from '../language/page_schema.ts';
import { alphabetOf } from '../language/value_shape.ts';
import { type Field, fieldsWithin, isText, valueOf } from '../language/value_tree.ts';
import { languageNames, readVariant } from '../language/variants.ts';
import { isDrawn, memberPropertyPrefix } from '../language/vocabularies.ts';
import { nodeAt, positionAt } from '../lib/document.ts';
import { type Fault, type Path, errorAt } from '../lib/fault.ts';
import { directionOf } from '../lib/language.ts';
import type { YamlNode } from '../lib/yaml/node.ts';
import { loginFailureReasons } from '../oauth/login_reasons.ts';
import { colourComplaints } from '../programme/login/colours.ts';
import { signsAccess } from '../programme/token_forms.ts';
import { type Complaint, wrong } from '../schema/faults.ts';
import { allMapsIn, entryAt, isOptional } from '../schema/keys.ts';
import type { Schema } from '../schema/walk.ts';

type Members = Pick<Definition, 'members'>;

export function* memberComplaints({ members }: Members): Iterable<Complaint> {
  const { directory, url, membership_number: _, ...rest } = members;
  if (directory === 'http') {
    if (url === undefined) {
      yield [
        ['members'],
        '"url" is missing',
        'a directory of kind http needs the address of its hook',
      ];
    }
    yield* certificateComplaints({ members });
    return;
  }
  for (const name of ['url', ...Object.keys(rest)]) {
    if (!Object.hasOwn(members, name)) continue;
    yield [
      ['members', name],
      `"${name}" has no effect on the directory store`,
      'add directory: http, or take it out',
    ];
  }
}

function* certificateComplaints({ members }: Members): Iterable<Complaint> {
  for (const name of ['certificate_file', 'key_file', 'authorities_file'] as const) {
    if (members[name] === undefined || members.url?.startsWith('http:') !== true) continue;
    yield [['members', name], 'an address of plain http has no use for certificates'];
  }
}

/** The keys of JWTs alone, and what a member's `sub` can be made of (C-9, HOSTILE 34 and 72). */
export function* tokenOwnerComplaints(definition: Definition): Iterable<Complaint> {
  const { access, client_subject_prefix: prefix } = definition.tokens;
  for (const name of ['issuer', 'subject'] as const) {
    yield* wrong([
      access[name] !== undefined && !signsAccess(definition),
      ['tokens', 'access', name],
      'no access token is a JWT, which alone tells this',
      'set tokens.access.format to jwt, or take this out',
    ]);
  }
  if (access.subject === undefined) return;
  const at = ['tokens', 'access', 'subject'];
  const fields = [...fieldsWithin(access.subject)];
  const named = fields.flatMap((field) => valueOf(field) ?? []);
  const foreign = named.find(
    (name) =>
      !/^(?:subject|membership_number)$/.test(name) && !name.startsWith(memberPropertyPrefix),
  );
  const drawn = named.find(isDrawn);
  const begin = beginningOf(access.subject).text;
  yield* wrong(
    [
      !isText(access.subject) ||
        fields.some((field) => typeof field === 'object' && 'only' in field),
      at,
      'sub is one text, the same for every grant',
    ],
    [
      foreign !== undefined,
      at,
      `${foreign} does not tell members apart`,
      'membership_number, subject and member.NAME can',
    ],
    [
      drawn !== undefined,
      at,
      `${drawn} is another at each login`,
      'membership_number, subject and member.NAME tell members apart',
    ],
    [
      named.length === 0,
      at,
      'all members would have this sub',
      'name membership_number, subject or member.NAME in it',
    ],
    [
      begin.startsWith(prefix),
      at,
      `sub would begin with "${prefix}" as those of clients do, so that no member got a token`,
      'let it begin otherwise, or change tokens.client_subject_prefix',
    ],
  );
}

/** The constants with which a text begins, and whether it has nothing else. */
function beginningOf(field: Field): { readonly text: string; readonly isWhole: boolean } {
  if (typeof field === 'object' && 'constant' in field) {
    return { text: String(field.constant), isWhole: true };
  }
  // Of several the first that there is; a constant always is.
  if (typeof field === 'object' && 'first' in field && field.first[0] !== undefined) {
    return beginningOf(field.first[0]);
  }
  const isJoined = typeof field === 'object' && 'joined' in field;
  let text = '';
  for (const part of isJoined ? field.joined : []) {
    const own = beginningOf(part);
    text += own.text;
    if (!own.isWhole) return { text, isWhole: false };
  }
  return { text, isWhole: isJoined };
}

/** A shape that no number matches would refuse every member. */
export function* memberNumberComplaints({ members }: Definition): Iterable<Complaint> {
  const { membership_number: shape } = members;
  if (shape === undefined) return;
  const { prefix = '', characters = 'digits', length = { min: 1 } } = shape;
  const isNumber = /^\d{1,24}$/.test(prefix + '1'.repeat(length.min));
  yield* wrong([
    !isNumber || !alphabetOf(characters).includes('1'),
    ['members', 'membership_number'],
    'no membership number has this shape: they are 1 to 24 digits',
  ]);
}

export function* loginPageComplaints(
  definition: Definition,
  document: YamlNode,
): Iterable<Complaint> {
  yield* languageComplaints(definition);
  yield* untranslated(definition, document);
  yield* colourComplaints(definition.login.colours);
}

function* languageComplaints({ login }: Definition): Iterable<Complaint> {
  const { language, languages, default_language: standard } = login;
  const all = [language, ...Object.keys(languages)];
  for (const [tag, path] of [
    [language, ['login', 'language']] as const,
    ...Object.keys(languages).map((one) => [one, ['login', 'languages', one]] as const),
  ]) {
    if (directionOf(tag) !== undefined) continue;
    yield [path, `"${tag}" is no language tag (RFC 5646)`, 'fr, pt-BR and zh-Hant are'];
  }
  if (standard !== undefined && !all.includes(standard)) {
    yield [
      ['login', 'default_language'],
      `there are no texts in "${standard}"`,
      languageNames().includes(standard)
        ? `languages: { ${standard}: {} } adds those that are shipped`
        : `there are texts in ${all.join(', ')}`,
    ];
  }
  if (Object.hasOwn(languages, language)) {
    yield [
      ['login', 'languages', language],
      `"${language}" is the language of the texts in login already`,
      'to show it first, set default_language; otherwise give language another value',
    ];
  }
}

/** If a file changes `language`, it must set every text: its variant's texts are in another one. */
function* untranslated(definition: Definition, document: YamlNode): Iterable<Complaint> {
  const { variant, login } = definition;
  if (variant === undefined || login.language === languageOf(readVariant(variant))) return;
  const missing = textPaths(definition).filter(
    (path) => nodeAt(document, path)?.at.file !== document.at.file,
  );
  const [first] = missing;
  if (first === undefined) return;
  const others = missing.length === 1 ? '' : ` and ${missing.length - 1} more texts`;
  const list = missing.map((path) => path.join('.')).join(', ');
  const isThere = [...languageNames(), ...Object.keys(login.languages)].includes(login.language);
  const instead = `default_language: ${login.language}, languages: { ${login.language}: {} }`;
  yield [
    ['login', 'language'],
    `the language is "${login.language}", but ${first.join('.')}${others} are still those of the variant`,
    isThere ? `its texts are there if you write ${instead} in place of language; ${list}` : list,
  ];
}

function languageOf(document: YamlNode): unknown {
  const node = nodeAt(document, ['login', 'language']);
  return node?.kind === 'scalar' ? node.value : undefined;
}

/** The paths of all texts in `login.language`. */
function textPaths({ login, authorize }: Definition): readonly Path[] {
  const { messages, labels, pages } = login;
  const failures = loginFailureReasons.filter((reason) => 'page' in authorize.failures[reason]);
  return [
    ['login', 'title'],
    ...Object.keys(messages).map((key): Path => ['login', 'messages', key]),
    ...Object.keys(labels).map((key): Path => ['login', 'labels', key]),
    ...Object.keys(pages).flatMap((key) => inPage(['login', 'pages', key])),
    ...failures.flatMap((key) => inPage(['authorize', 'failures', key, 'page'])),
  ];
}

function inPage(page: Path): readonly Path[] {
  return [
    [...page, 'title'],
    [...page, 'text'],
  ];
}

const place = /^login\.languages\.([^.]+)\.(.+)$/;

/**
 * The same faults, but of each language in `login.languages` one in place of all that tell of a
 * missing text or a missing map of texts. A single missing key keeps its own words.
 */
export function gatherMissingTexts(document: YamlNode, faults: readonly Fault[]): Fault[] {
  const byLanguage = Map.groupBy(faults, languageLacking);
  return [...byLanguage].flatMap(([language, group]) =>
    language === undefined ? group : [inOne(document, language, group)],
  );
}

/** The language of a fault that tells of a missing key; undefined for any other fault. */
function languageLacking({ path, code }: Fault): string | undefined {
  return code === 'missing_key' ? place.exec(path)?.[1] : undefined;
}

function inOne(document: YamlNode, language: string, group: readonly Fault[]): Fault {
  const texts = group.flatMap(({ path }) => textsAt(place.exec(path)?.[2]?.split('.') ?? []));
  const list = texts.join(', ');
  const [only, ...others] = group;
  if (only !== undefined && others.length === 0)
    return texts.length === 1 ? only : { ...only, hint: list };
  const path = ['login', 'languages', language];
  const message = `the language "${language}" lacks ${texts.length} texts`;
  return errorAt(positionAt(document, path), path, message, list);
}

/** The dotted paths of all texts that a language needs at a path or below it. */
function textsAt(path: readonly string[]): readonly string[] {
  const schema = entryAt(languageSchema, path) as Schema | undefined;
  const maps = schema === undefined ? [] : allMapsIn(schema);
  if (maps.length === 0) return [path.join('.')];
  return maps.flatMap(({ entries = {} }) =>
    Object.entries(entries).flatMap(([name, entry]) =>
      isOptional(entry) ? [] : textsAt([...path, name]),
    ),
  );
}
