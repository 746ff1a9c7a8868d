// Owns the test that no writer of an answer throws, whatever a store or a request holds, and that its answer
// can be sent and read back (HOSTILE 77): what the answer rests on is spent by then.

import assert from 'node:assert/strict';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { describe, test } from 'node:test';

import type { StandingToken } from '../../../src/engine/presented/access_token.ts';
import type { Service } from '../../../src/engine/service.ts';
import { passed } from '../../../src/engine/verification_answer.ts';
import { encodingOf } from '../../../src/language/encoding.ts';
import type { Field } from '../../../src/language/value_tree.ts';
import { tokenVocabulary } from '../../../src/language/vocabularies.ts';
import { instant } from '../../../src/lib/clock.ts';
import { formatFault } from '../../../src/lib/fault.ts';
import { readXml } from '../../../src/lib/xml/xml.ts';
import type { Client, ClientId, ProgrammeId } from '../../../src/oauth/client.ts';
import { grantTypes } from '../../../src/oauth/grant.ts';
import {
  redirectableLoginReasons,
  type RedirectableLoginFailure,
} from '../../../src/oauth/login_reasons.ts';
import type { Subject } from '../../../src/oauth/member.ts';
import { parseForm } from '../../../src/oauth/parameters.ts';
import { failureReasons } from '../../../src/oauth/reasons.ts';
import type { Reply } from '../../../src/oauth/reply.ts';
import type { TokenSet } from '../../../src/oauth/token_set.ts';
import { accessClaims } from '../../../src/programme/answers/access_claims.ts';
import { tokenValues } from '../../../src/programme/answers/token_layout.ts';
import { compileBody, compileClaims } from '../../../src/programme/answers/tree_writer.ts';
import { compileProgramme, type Programme } from '../../../src/programme/programme.ts';
import { loadProgramme } from '../../../src/rules/load.ts';
import { payloadOf } from '../../../src/token/jwt.ts';
import { dialects } from '../../cli/dialects.ts';
import { publicUrl } from '../../support/jetway.ts';
import { anyText, fc } from '../../support/property.ts';

/** What some encoding has no characters for, and what looks like syntax or a number. */
const oddTexts =
  String.raw`\ud800 a\udc00b \udfff\ud800 \0 a\r\nSet-Cookie:\u0020b=c \u2028 \ufffe \ufeff
  \u0020 \u0020a\u0020\u0020b\u0020 😀 ÿ ]]> "><x/> % ; = &#0; __proto__ 0 -0 007 1.0 1e400 NaN Infinity
  9007199254740993`
    .split(/\s+/)
    .map((text) =>
      text.replaceAll(/\\(?:u(....)|(.))/g, (_, hex: string, one: string) =>
        hex === undefined
          ? ({ 0: '\0', r: '\r', n: '\n' }[one] ?? '')
          : String.fromCharCode(parseInt(hex, 16)),
      ),
    );
const odd = fc.oneof(
  anyText(12),
  fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength: 6 }),
  fc.constantFrom('', '1'.repeat(300), 'x'.repeat(1 << 20), ...oddTexts),
);
/** Times of any clock, also of one that was never set, and of one far ahead. */
const moment = fc
  .oneof(fc.integer({ min: 0, max: 4e12 }), fc.constantFrom(0, 8.64e15, 253_402_300_800_000))
  .map(instant);

const maybe = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(value, { nil: undefined, freq: 8 });

/** The names with a prefix, `client.`, that a file has. */
function namesIn(yaml: string, prefix: string): readonly string[] {
  const found = yaml.matchAll(new RegExp(String.raw`\b${prefix}\.([A-Za-z][\w.-]*)`, 'g'));
  return [...new Set([...found].map(([, name = '']) => name))];
}

function valuesOf(names: readonly string[]): fc.Arbitrary<Record<string, string>> {
  return fc.record(Object.fromEntries(names.map((name) => [name, odd])));
}

function clientOf(properties: fc.Arbitrary<Client['properties']>): fc.Arbitrary<Client> {
  return fc.record({
    programme: fc.constant('club' as ProgrammeId),
    id: odd.map((text) => text as ClientId),
    name: odd,
    roles: fc.constant(['member', 'partner'] as const),
    redirectUris: fc.constant([]),
    secrets: fc.constant([]),
    apiKeys: fc.constant([]),
    businessContext: odd,
    partnerId: odd,
    properties,
    status: fc.constant('active' as const),
    createdAt: moment,
  });
}

function tokensOf(memberProperties: fc.Arbitrary<Record<string, string>>): fc.Arbitrary<TokenSet> {
  return fc.record({
    grant: fc.constantFrom(...grantTypes),
    kind: fc.constantFrom('member', 'client'),
    subject: odd,
    accessToken: odd,
    tokenId: odd,
    issuedAt: moment,
    accessExpiresAt: moment,
    refreshToken: maybe(odd),
    idToken: maybe(odd),
    refreshExpiresAt: maybe(moment),
    issuedTokenType: maybe(odd),
    scope: maybe(odd),
    level: maybe(odd),
    membershipNumber: maybe(odd),
    memberProperties: maybe(memberProperties),
  });
}

/** A reply that Node can send, and whose body is what its encoding says. */
function assertSendable(
  { headers, body, cookies = [] }: Reply,
  encoding: keyof typeof encodingOf,
  before = '',
): void {
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    assert.match(value, /^[\x20-\x7e]*$/, name);
  }
  for (const cookie of cookies) assert.match(cookie, /^[\x21-\x7e]+(?:; [\x21-\x7e]+)*$/);
  // A bare text is one token, and Node replaces what UTF-8 cannot carry.
  assert.ok(encoding === 'text' || body.isWellFormed());
  if (encoding === 'json') JSON.parse(body.slice(before.length));
  if (encoding === 'form') parseForm(body);
  if (encoding === 'xml') readXml(body);
}

/** What a partner reads of the way back. */
function fieldsOf(
  way: ReturnType<Programme['login']['redirect']['code']>,
  redirectUri: string,
): Readonly<Record<string, string>> {
  if (!('location' in way)) return Object.fromEntries(way.fields);
  assert.match(way.location, /^[\x21-\x7e]+$/);
  assert.ok(way.location.startsWith(redirectUri));
  const pairs = parseForm(way.location.slice(redirectUri.length + 1));
  return Object.fromEntries([...pairs].map(([name, values]) => [name, values[0] ?? '']));
}

describe('HOSTILE 77: no writer throws, and each answer can be sent and read', () => {
  for (const [name, yaml] of dialects) {
    const { loaded, faults } = loadProgramme(`${name}.yaml`, yaml);
    assert.ok(loaded, faults.map(formatFault).join('\n'));
    const programme = compileProgramme('club' as ProgrammeId, loaded.definition, publicUrl);
    const { token_response: response, errors } = loaded.definition;
    const client = clientOf(valuesOf(namesIn(yaml, 'client')));
    const memberProperties = valuesOf(namesIn(yaml, 'member'));
    const sent = valuesOf(namesIn(yaml, 'sent')).map((values) =>
      Object.fromEntries(Object.entries(values).map(([role, value]) => [`sent.${role}`, value])),
    );

    test(`tokens of ${name}`, () => {
      fc.assert(
        fc.property(tokensOf(memberProperties), client, sent, (tokens, to, echoed) => {
          const reply = programme.renderTokens(tokens, to, undefined, echoed);
          assertSendable(reply, response.encoding, response.before);
          const values = tokenValues(tokens, to, programme.values);
          JSON.parse(JSON.stringify(payloadOf(accessClaims(programme, to, tokens))));
          JSON.parse(JSON.stringify(programme.identity?.claims(values) ?? {}));
          const userinfo = programme.userinfo?.render(values);
          if (userinfo !== undefined) assertSendable(userinfo, 'json');
          const { memberProperties: properties, membershipNumber, subject, scope } = tokens;
          const member = { subject, properties, membershipNumber };
          const token = { kind: 'member', subject, scope, expiresAt: 0, login: { member } };
          const service = { programme, environment: 'live' } as Service;
          assertSendable(passed(service, to, new Map(), token as StandingToken), 'text');
        }),
        { numRuns: 40 },
      );
    });

    test(`refusals of ${name}`, () => {
      const facts = fc.record({
        parameter: maybe(odd),
        scope: maybe(odd),
        retryAfter: maybe(fc.nat(1e6)),
        at: moment,
        sent,
      });
      fc.assert(
        fc.property(fc.constantFrom(...failureReasons), facts, (reason, { at, ...more }) => {
          const known = Object.entries(more).filter(([, value]) => value !== undefined);
          const reply = programme.renderFailure(reason, { at, ...Object.fromEntries(known) });
          assertSendable(reply, errors.encoding, errors.before);
        }),
        { numRuns: 40 },
      );
    });

    test(`callbacks of ${name}`, () => {
      const { redirect, failure } = programme.login;
      const { code: codeName, state: stateName } = loaded.definition.authorize.answer;
      const member = fc.record({
        subject: odd.map((text) => text as Subject),
        properties: memberProperties,
      });
      const mode = fc.constantFrom(undefined, 'query', 'fragment', 'form_post');
      const reason = fc.constantFrom(
        ...(Object.keys(redirectableLoginReasons) as RedirectableLoginFailure[]),
      );
      const redirectUri = 'https://partner.example/cb';
      fc.assert(
        fc.property(client, odd, odd, mode, member, reason, (to, code, state, how, one, why) => {
          const address = { client: to, redirectUri, state, mode: how };
          const read = fieldsOf(redirect.code(address, code, one), redirectUri);
          assert.equal(read[codeName]?.toWellFormed(), code.toWellFormed());
          assert.equal(read[stateName]?.toWellFormed(), state.toWellFormed());
          const told = failure(why);
          if ('redirect' in told) fieldsOf(redirect.failure(address, why, told, code), redirectUri);
        }),
        { numRuns: 40 },
      );
    });
  }
});

describe('HOSTILE 77: what a writer writes is read as what was meant', () => {
  const rules = { vocabulary: tokenVocabulary, occasion: 'grant', split: (one: string) => [one] };
  const write = (encoding: keyof typeof encodingOf, field: Field, value: string): string =>
    compileBody(new Map([['r', { object: new Map([['x', field]]) }]]), {
      ...rules,
      encoding: encodingOf[encoding],
    })({ client_name: value });
  const xmlText = (text: string): string =>
    text.replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\ufffd');

  test('JSON, form and XML, in elements and attributes', () => {
    fc.assert(
      fc.property(odd, (value) => {
        const json = JSON.parse(write('json', 'client_name', value)) as { r: { x: string } };
        assert.equal(json.r.x, value.toWellFormed());
        const form = compileBody(new Map([['x', 'client_name']]), {
          ...rules,
          encoding: encodingOf.form,
        });
        assert.deepEqual(parseForm(form({ client_name: value })).get('x'), [value.toWellFormed()]);
        const element = readXml(write('xml', 'client_name', value));
        // A line ends as the file writes it; readers see a line feed (XML 1.0 2.11).
        assert.equal(element.children[0]?.text, xmlText(value).replaceAll(/\r\n?/g, '\n'));
        const attribute = readXml(write('xml', { value: 'client_name', attribute: true }, value));
        assert.deepEqual(attribute.attributes, [['x', xmlText(value)]]);
      }),
      { numRuns: 500 },
    );
  });

  test('HOSTILE 78: a number keeps all of its digits, in bodies and in claims', () => {
    const field: Field = { value: 'membership_number', type: 'number' };
    const tree = new Map<string, Field>([['n', field]]);
    const [body, claims] = [compileBody(tree, rules), compileClaims(tree, rules)];
    const digits = fc.oneof(fc.bigInt().map(String), odd);
    fc.assert(
      fc.property(digits, (text) => {
        const isWhole = /^(?:0|-?[1-9][0-9]*)$/.test(text);
        const expected = `{"n":${isWhole ? text : JSON.stringify(text.toWellFormed())}}`;
        assert.equal(body({ membership_number: text }), expected);
        assert.equal(JSON.stringify(claims({ membership_number: text })), expected);
      }),
      { numRuns: 500 },
    );
  });
});
