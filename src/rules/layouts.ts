// Owns the checks of every layout of an answer, cookies among them: that its encoding can hold it, and that its
// values are there.

import type { Definition } from '../language/definition.ts';
import { elementText, isXmlName } from '../language/encoding.ts';
import type { InputDefinition } from '../language/input_schema.ts';
import { openid } from '../language/tokens/identity_schema.ts';
import {
  type FieldTree,
  fieldsOf,
  fieldsWithin,
  inCase,
  isObject,
  isText,
  type NameCase,
  valueOf,
  writtenValues,
  type Field,
  isAttribute,
  wrapped,
} from '../language/value_tree.ts';
import { sentPrefix, extraPrefix } from '../language/vocabularies.ts';
import type { Path } from '../lib/fault.ts';
import { suggest } from '../lib/suggest.ts';
import { ownCookies } from '../oauth/own_paths.ts';
import { type Layout, layoutsOf, treesOf } from '../programme/answers/layouts.ts';
import { offeredGrants } from '../programme/requests/grant_places.ts';
import { isSecretInput } from '../programme/requests/token_endpoint.ts';
import { type Complaint, wrong } from '../schema/faults.ts';
import { endpointsIn } from './endpoints.ts';

export function* layoutComplaints(definition: Definition): Iterable<Complaint> {
  const endpoints = Object.values(definition.token_endpoints);
  const declared = endpoints.flatMap(({ inputs }) => Object.entries(inputs));
  for (const layout of layoutsOf(definition)) {
    const { at, fields, nameCase = 'as_written', lacks: [words, ...lacking] = [''] } = layout;
    for (const name of hiddenNames(fields, nameCase)) {
      const message = `two members are named "${name}" once name_case is applied`;
      yield [at, message, 'one would hide the other'];
    }
    yield* encodingComplaints(layout);
    yield* attributeComplaints(at, fields, layout.form === 'xml');
    for (const field of fieldsOf(fields)) {
      if (typeof field === 'string' || !('joined' in field) || isText(field)) continue;
      yield [at, 'texts are joined of values and constants: no object or array can be in "joined"'];
    }
    for (const name of fields.keys()) {
      if (layout.reserved?.test(name) !== true) continue;
      yield [[...at, name], `Jetway sets the claim "${name}" itself`];
    }
    for (const value of writtenValues(fields)) {
      const isSent = value.startsWith(sentPrefix);
      if (lacking.includes(isSent ? sentPrefix : value)) yield [at, `${words} ${value}`];
      else if (isSent) yield* sentComplaints(layout, value, declared);
    }
  }
}

/** Member names of one object that become equal in the dialect's case. */
function* hiddenNames(tree: FieldTree, nameCase: NameCase): Iterable<string> {
  const seen = new Set<string>();
  for (const [name, field] of tree) {
    const written = inCase(name, nameCase);
    if (seen.has(written)) yield written;
    seen.add(written);
    for (const inner of fieldsWithin(field)) {
      if (isObject(inner)) yield* hiddenNames(inner.object, nameCase);
    }
  }
}

/** A form has no objects, XML has one root, a bare text has one member, and a header is one text. */
export function* encodingComplaints(layout: Layout): Iterable<Complaint> {
  const { form, at, fields, member, memberKey, wrap = [] } = layout;
  if (form === 'json') return;
  if (form === 'xml') {
    yield* xmlComplaints(layout);
    return;
  }
  const body = form === 'form' ? 'a form' : 'a bare text';
  yield* wrong(
    [wrap.length > 0, ['token_response', 'wrap'], `${body} has no objects`],
    [form === 'text' && fields.size !== 1, at, 'an answer in bare text has exactly one field'],
  );
  for (const [name, field] of fields) {
    if (isText(field)) continue;
    const items = typeof field === 'object' && 'array' in field ? field.array : undefined;
    if (form === 'form' && items?.every(isText) === true) continue;
    yield member === undefined
      ? [[...at, name], `${body} has no objects, and no lists of them`]
      : [[...at, name, ...(memberKey === undefined ? [] : [memberKey])], `${member} is one text`];
  }
}

/** A value repeated from the request: of an input that there is and that is no secret, and escaped. */
function sentComplaints(
  { at, repeatsRequest }: Layout,
  value: string,
  declared: readonly (readonly [role: string, input: InputDefinition])[],
): Iterable<Complaint> {
  const name = value.slice(sentPrefix.length);
  const inputs = declared.filter(([role]) => role === name);
  const near = suggest(name, new Set(declared.map(([role]) => role)));
  return wrong(
    [
      repeatsRequest !== true,
      at,
      `${value} would stand here as it was sent`,
      'only bodies of JSON, XML and forms can repeat what a request says',
    ],
    [
      inputs.length === 0,
      at,
      `no token endpoint has an input "${name}"`,
      near === undefined ? 'declare it' : `did you mean ${sentPrefix}${near}?`,
    ],
    [
      inputs.some(([role, input]) => isSecretInput(role, input)),
      at,
      `${value} is a secret, which no answer repeats`,
    ],
  );
}

export function* answerComplaints(definition: Definition): Iterable<Complaint> {
  for (const place of ['token_response', 'errors'] as const) {
    const { before, encoding } = definition[place];
    yield* wrong([
      before !== undefined && encoding !== 'json',
      [place, 'before'],
      'only before JSON can a text stand',
      'of a bare text, put it into the field with joined',
    ]);
  }
  const places = treesOf(definition, 'token answer');
  for (const grant of offeredGrants(definition)) {
    if (places.some((place) => writtenValues(place, grant).has('access_token'))) continue;
    yield [['token_response', 'fields'], `the answer to ${grant} does not hold the access_token`];
  }
  yield* extraComplaints(definition);
  const { more, ...parameters } = definition.authorize.answer;
  const names = [...Object.values(parameters), ...more.keys()];
  yield* wrong([
    new Set(names).size < names.length,
    ['authorize', 'answer'],
    'two parameters of the redirect have the same name',
  ]);
}

/** Names `extra.…` for which no reason has a value. */
function* extraComplaints({ errors }: Definition): Iterable<Complaint> {
  const given = new Set(Object.values(errors.reasons).flatMap(({ extra }) => Object.keys(extra)));
  for (const value of writtenValues(errors.fields)) {
    const name = value.slice(extraPrefix.length);
    if (!value.startsWith(extraPrefix) || given.has(name)) continue;
    yield [
      ['errors', 'fields'],
      `no reason has an "${name}" under extra`,
      'give it one in errors.reasons or errors.groups',
    ];
  }
}

/** Who can ask for identity tokens, and where they are told. */
export function* identityComplaints(definition: Definition): Iterable<Complaint> {
  const { id_token: identity, userinfo, grants, scope } = definition;
  const isTold = treesOf(definition, 'token answer').some((tree) =>
    writtenValues(tree, 'authorization_code').has('id_token'),
  );
  yield* wrong(
    [
      identity === undefined && isTold,
      ['token_response', 'fields'],
      'id_token is written here, but the programme issues no identity tokens',
      'turn them on with id_token: {}',
    ],
    [
      userinfo !== undefined &&
        identity !== undefined &&
        valueOf(userinfo.fields.get('sub')) !== 'subject',
      ['userinfo', 'fields'],
      'with identity tokens the answer needs sub (OpenID Connect Core 5.3.2)',
      'add sub: subject',
    ],
  );
  if (identity === undefined) return;
  yield* wrong(
    [
      grants.authorization_code === undefined,
      ['id_token'],
      'identity tokens come with the grant authorization_code, which the programme does not offer',
    ],
    [
      grants.authorization_code !== undefined && !isTold,
      ['token_response', 'fields'],
      'the answer to authorization_code does not hold the id_token',
      'add a field with id_token',
    ],
    [
      scope.kind === 'list' && !scope.values.includes(openid),
      ['scope', 'values'],
      `no login can ask for identity tokens: "${openid}" is none of the scopes (OpenID Connect Core 3.1.2.1)`,
      `add ${openid}`,
    ],
  );
}

/** Attributes where there is no XML, or no element that could have them. */
function* attributeComplaints(at: Path, tree: FieldTree, isXml: boolean): Iterable<Complaint> {
  const all = [...fieldsOf(tree)];
  const placed = new Set<Field>(
    [tree, ...all.filter(isObject).map(({ object }) => object)].flatMap((one) => [...one.values()]),
  );
  for (const field of all.filter(isAttribute)) {
    yield* wrong(
      [!isXml, at, 'only answers in XML have attributes', 'take attribute out'],
      [
        isXml && !placed.has(field),
        at,
        'an attribute is a member of an object, not an item or a part of another field',
      ],
      [isXml && !isText(field), at, 'an attribute is one text'],
    );
  }
}

function* xmlComplaints(layout: Layout): Iterable<Complaint> {
  const { at, fields: tree, wrap = [], nameCase = 'as_written' } = layout;
  const [root] = tree.values();
  const isRoot = root !== undefined && !isAttribute(root) && (isObject(root) || isText(root));
  yield* wrong([
    wrap.length === 0 && (tree.size !== 1 || !isRoot),
    at,
    'XML has one element around all others',
    'put the fields into one object',
  ]);
  const known: ReadonlySet<string> = new Set(['xml', 'xmlns']);
  const around: Around = { nameCase, prefixes: known, isRoot: true };
  yield* elementComplaints(at, wrapped(tree, wrap), around);
}

interface Around {
  readonly nameCase: NameCase;
  /** Prefixes of names that are declared by elements around. */
  readonly prefixes: ReadonlySet<string>;
  readonly isRoot?: true;
}

function* elementComplaints(
  at: Path,
  tree: FieldTree,
  { nameCase, prefixes: outer, isRoot }: Around,
): Iterable<Complaint> {
  const prefixes = new Set([...outer, ...declaredBy(tree, nameCase)]);
  for (const [written, field] of tree) {
    const name = inCase(written, nameCase);
    if (name === elementText && isRoot === undefined && isText(field)) continue;
    const objects = [...objectsIn(field)];
    const own = objects.flatMap((object) => declaredBy(object, nameCase));
    const [prefix = ''] = name.includes(':') ? name.split(':') : ['xml'];
    yield* wrong(
      [!isXmlName(name), at, `"${name}" cannot name an element of XML`],
      [
        isXmlName(name) && !prefixes.has(prefix) && !own.includes(prefix),
        at,
        `the prefix of "${name}" is declared nowhere around it`,
        `give the element an attribute "xmlns:${prefix}"`,
      ],
    );
    for (const object of objects) yield* elementComplaints(at, object, { nameCase, prefixes });
  }
}

const declaring = 'xmlns:';

function declaredBy(tree: FieldTree, nameCase: NameCase): readonly string[] {
  return [...tree].flatMap(([written, field]) => {
    const name = inCase(written, nameCase);
    return isAttribute(field) && name.startsWith(declaring) ? [name.slice(declaring.length)] : [];
  });
}

/** The objects that a field itself writes. */
function* objectsIn(field: Field): Iterable<FieldTree> {
  if (typeof field === 'string') return;
  if ('object' in field) yield field.object;
  const others = [
    ...('array' in field ? field.array : []),
    ...('first' in field ? field.first : []),
  ];
  for (const one of others) yield* objectsIn(one);
}

/** Browsers compare the prefixes in any case. */
const ownName = new RegExp(`^(?:__(?:Host|Secure)-)?${ownCookies}`, 'i');

/** A dialect's cookie would be taken for one of a login, or one of a login for the dialect's (HOSTILE 14, 67). */
function ownNameComplaint(name: string, at: Path): readonly [isWrong: boolean, ...Complaint] {
  const advice = `give it a name that does not begin with ${ownCookies}`;
  return [ownName.test(name), at, "Jetway's login page has the cookies of such names", advice];
}

export function* cookieComplaints(definition: Definition): Iterable<Complaint> {
  for (const [name, cookie] of Object.entries(definition.token_response.cookies)) {
    const { path, secure, same_site } = cookie;
    const at: Path = ['token_response', 'cookies', name];
    const lower = name.toLowerCase();
    yield* wrong(
      ownNameComplaint(name, at),
      [
        lower.startsWith('__host-') && path !== '/',
        [...at, 'path'],
        'browsers accept a cookie of such a name only with the path / (RFC 6265bis 4.1.3.2)',
      ],
      [
        !secure && (/^__(?:host|secure)-/.test(lower) || same_site === 'None'),
        [...at, 'secure'],
        'browsers take this cookie only if it is secure (RFC 6265bis 5.7)',
      ],
    );
  }
  for (const [at, { inputs }, endpoint] of endpointsIn(definition)) {
    for (const [role, input] of Object.entries(inputs)) {
      if (input.in !== 'cookie') continue;
      const name = input.name ?? role;
      yield* wrong(
        [
          endpoint === undefined,
          [...at, 'inputs', role, 'in'],
          'a login request reads no cookies',
          'other sites can make a browser send it',
        ],
        [
          !/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name),
          [...at, 'inputs', role, 'name'],
          'this is no name that a cookie can have',
        ],
        ownNameComplaint(name, [...at, 'inputs', role, 'name']),
      );
    }
  }
}
