// The promises of a partner's page on what it tells of answers, credentials and the deployment, for every
// dialect whose file can make them false.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { answerTo } from '../../../src/contract/answers.ts';
import { type Guide, makeGuide } from '../../../src/contract/partner/guide.ts';
import { openapiDocument } from '../../../src/contract/partner/openapi/document.ts';
import { partnerPage } from '../../../src/contract/partner/page/page.ts';
import { answerValues } from '../../../src/contract/partner/words.ts';
import { instant } from '../../../src/lib/clock.ts';
import type { ClientId } from '../../../src/oauth/client.ts';
import { compileProgramme, inputsOf, type Programme } from '../../../src/programme/programme.ts';
import { loadProgramme } from '../../../src/rules/load.ts';
import { dialects } from '../../cli/dialects.ts';
import { shippedProgramme } from '../../support/jetway.ts';

const base = 'https://tokens.example';

function compile(name: string, text: string): Programme {
  const { loaded } = loadProgramme(`${name}.yaml`, text);
  assert.ok(loaded, name);
  return compileProgramme(loaded.id, loaded.definition, base);
}

function guideOf(name: string, over: object = {}): Guide {
  return makeGuide(compile(name, shippedProgramme(name, JSON.stringify(over))), base);
}

/** The paths of all that an answer holds; a list is one value. */
function leaves(value: unknown, above: readonly string[] = []): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [above.join('.')];
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...above, name]));
}

describe('each member of an answer has its row in the table', () => {
  for (const [name, text] of dialects) {
    const programme = compile(name, text);
    const layout = programme.layouts.tokens;
    if (layout.encoding !== 'json') continue;
    test(name, () => {
      for (const { type: grant } of programme.tokenEndpoints.flatMap(({ grants }) => grants)) {
        const told = new Set(answerValues(layout, grant).map(({ path }) => path));
        const { before = '', render } = answerTo(programme, grant);
        const held = leaves(JSON.parse(render(new Set()).body.slice(before.length)));
        assert.deepEqual(
          held.filter((path) => path !== '' && !told.has(path)),
          [],
          grant,
        );
      }
    });
  }
});

describe('a sample has the form that requests are held to', () => {
  for (const [name, text] of dialects) {
    test(name, () => {
      const programme = compile(name, text);
      const input = inputsOf(programme).find(
        ({ must_equal: equal, characters }) =>
          equal === 'client.business_context' && characters === 'letters',
      );
      const bodies = [...programme.grants].map(
        (grant) => answerTo(programme, grant).render(new Set(), 'fitting').body,
      );
      if (input !== undefined) assert.doesNotMatch(bodies.join('\n'), /20000002/);
    });
  }
  test('such as the business context of letters of the second club', () => {
    assert.match(partnerPage(guideOf('second-club')), /"requestApplication": "Sample"/);
  });
});

test('a refresh that is repeated is told of its new signature where ES256 signs it', () => {
  const es256 = /within 10 seconds: you get the same refresh token under a new signature/;
  assert.match(partnerPage(guideOf('second-club')), es256);
  const rs256 = guideOf('second-club', { tokens: { access: { algorithm: 'RS256' } } });
  assert.match(partnerPage(rs256), /within 10 seconds: you get the same refresh token\. /);
  assert.match(partnerPage(guideOf('executive-club')), /you get the same refresh token\. /);
});

test('what is to be kept is what clients prove themselves with', () => {
  const keptBy = (methods: readonly string[], inputs: object = {}): string => {
    const over = {
      client: { authentication: { methods } },
      token_endpoints: { grant: { inputs } },
    };
    const page = partnerPage(guideOf('executive-club', over));
    return /^Keep .*$/m.exec(page)?.[0] ?? '';
  };
  const where = 'on your servers: never in a web page, an app or a repository.';
  const assertion = { client_assertion: {}, client_assertion_type: {} };
  assert.equal(
    keptBy(['basic']),
    `Keep secret and API key ${where} The examples read them from environment variables.`,
  );
  assert.equal(
    keptBy(['private_key_jwt'], assertion),
    `Keep API key and the private key of your assertions ${where} The examples read the API key from environment variables.`,
  );
  assert.equal(
    keptBy(['tls_client_auth']),
    `Keep API key and the private key of your certificate ${where} The examples read the API key from environment variables.`,
  );
});

const at = instant(Date.parse('2026-11-28T23:59:00Z'));

test('only the client that stands for requests without credentials is told that it needs none', () => {
  const [name, text] = [...dialects].find(([id]) => id === 'own-app') ?? ['', ''];
  const programme = compile(name, text);
  const guide = makeGuide(programme, base);
  const partner = partnerPage(guide);
  assert.match(partner, /^\| `client_id` \| query \| yes \|/m);
  assert.doesNotMatch(partner, /without any credentials/);
  const app = { ...guide.by.client, id: 'app-0002' as ClientId, isPublic: true as const };
  const own = partnerPage(makeGuide(programme, base, app));
  assert.match(own, /^\| `client_id` \| query \| no \|/m);
  assert.match(own, /You have no secret: a request without any credentials is yours\./);
  // Its requests to the token endpoint hold neither identifier nor header.
  assert.doesNotMatch(own, /^ {2}(?:-d client_id|-u |-H "Authorization: Basic)/m);
});

test('a page names environment, day, version and contact', () => {
  const text = shippedProgramme('executive-club', 'interface_version: "2.1"');
  const programme = compile('executive-club', text);
  const contact = 'Ann <ann@club.example>';
  const page = partnerPage(
    makeGuide(programme, base, undefined, 'live', { at, contact, hasGateway: false }),
  );
  const facts = (shown: string): readonly string[] =>
    /\| --- \|\n((?:\|.*\n)+)/.exec(shown)?.[1]?.split('\n') ?? [];
  assert.deepEqual(facts(page), [
    '| Environment | live |',
    '| Version of the interface | 2.1 |',
    '| As of | 2026-11-28 |',
    String.raw`| Questions | Ann \<ann@club.example\> |`,
    '',
  ]);
  const help = page.split('## Ask for help')[1] ?? '';
  assert.match(help, /^Ask Ann \\?&?\S*ann@club\.example.*\.$/m);
  const without = partnerPage(makeGuide(programme, base));
  assert.deepEqual(facts(without), ['| Version of the interface | 2.1 |', '']);
  assert.doesNotMatch(without, /^Ask /m);
});

test('introspection is told unless gateways have a listener of their own', () => {
  const text = shippedProgramme('executive-club', 'introspection: { path: /ask }');
  const programme = compile('executive-club', text);
  for (const hasGateway of [false, true]) {
    const guide = makeGuide(programme, base, undefined, 'staging', { at, hasGateway });
    const { paths } = openapiDocument(guide) as { readonly paths: object };
    const told = [/## Ask about a token/.test(partnerPage(guide)), '/executive-club/ask' in paths];
    assert.deepEqual(told, [!hasGateway, !hasGateway]);
  }
});

test('metadata tells the response modes of the dialect (RFC 8414 2)', () => {
  const modesOf = (authorize: object): unknown => {
    const text = shippedProgramme('executive-club', JSON.stringify({ authorize, metadata: 'on' }));
    const document = compile('executive-club', text).metadata?.document({
      introspection: true,
      keySet: true,
    });
    return (JSON.parse(document ?? '{}') as Record<string, unknown>)['response_modes_supported'];
  };
  assert.deepEqual(modesOf({}), ['query']);
  assert.deepEqual(modesOf({ answer: { mode: 'form_post' } }), ['form_post']);
  const inputs = { response_mode: { allowed: ['query', 'fragment'] } };
  assert.deepEqual(modesOf({ endpoint: { inputs } }), ['query', 'fragment']);
});
