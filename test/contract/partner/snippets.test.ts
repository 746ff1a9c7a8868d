// The promise of a partner's page: its examples, run as they stand, log a member in, get tokens, refresh
// them and call an API.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

import { partnerPage } from '../../../src/contract/partner/page/page.ts';
import { digest } from '../../../src/lib/digest.ts';
import type { GrantType } from '../../../src/oauth/grant.ts';
import {
  takeToken,
  type TokenName,
  tokenPlace,
} from '../../../src/programme/answers/token_place.ts';
import { unescape } from '../../support/page.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { testNeeding } from '../../support/tools.ts';
import { openScene, type PartnerScene, returnFrom } from './scene.ts';

const test = testNeeding('curl');

/** The shipped programmes, and dialects that ask in other ways. */
const files = [
  ...['executive-club', 'second-club', 'third-club'].map((name) => `programmes/${name}.yaml`),
  ...[
    'api-key-header', // form-encoded Basic, the API key beside it
    'device-login', // a value of the redirect, repeated with each request
    'get-token', // GET, secrets in the query
    'json-nested', // JSON
    'nested-request', // JSON in JSON, the token in a header
    'password-club', // usernames and passwords
    'posted-parts', // multipart/form-data, and a text before the answer
    'refresh-header', // credentials and refresh token in headers
    'reservation-system', // base64 in base64
    'xml-agency', // answers in XML
  ].map((name) => `test/dialects/${name}.yaml`),
];

/** The code blocks of each section of a page, by language. */
function sectionsOf(page: string): ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> {
  const sections = page.split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => {
      const blocks = [...section.matchAll(/^```(\w+)\n([^]*?)\n```$/gm)];
      const byLanguage = Map.groupBy(blocks, ([, language = '']) => language);
      const texts = [...byLanguage].map(
        ([language, found]) => [language, found.map(([, , text = '']) => text)] as const,
      );
      return [section.split('\n')[0] ?? '', new Map(texts)] as const;
    }),
  );
}

const run = promisify(execFile);

type Environment = Readonly<Record<string, string>>;

/** Runs a snippet as it stands; what it prints. */
async function runSnippet(
  t: TestContext,
  snippet: string,
  environment: Environment,
): Promise<string> {
  const file = join(scratchFolder(t, 'snippet'), 'snippet.sh');
  writeFileSync(file, snippet);
  const env = { PATH: process.env['PATH'], ...environment };
  const { stdout } = await run('bash', [file], { env });
  return stdout;
}

function tokenIn(
  { guide }: PartnerScene,
  grant: GrantType,
  name: TokenName,
  printed: string,
): string {
  const { programme } = guide;
  const place = tokenPlace(programme, guide.by.client, grant, name);
  const headers = Object.fromEntries(
    [...printed.matchAll(/^([\w-]+): (.*?)\r?$/gm)].map(([, header = '', value]) => [
      header,
      value,
    ]),
  ) as Record<string, string>;
  const token = takeToken(place, { headers, body: printed });
  assert.ok(token, `no token in ${printed}`);
  return token.trimEnd();
}

const verifier = 'v'.repeat(43);

/** What comes back of a login by the link, or the form, of the page: its code, and what it has drawn. */
async function loginBy(scene: PartnerScene, page: string): Promise<Environment> {
  const sections = sectionsOf(page).get('Log a member in');
  const form = sections?.get('html')?.[0];
  const [address = ''] = form === undefined ? (sections?.get('text') ?? []) : [actionOf(form)];
  const filled = address.replace('CODE_CHALLENGE', digest(verifier));
  const back = await returnFrom(scene, filled, form === undefined ? 'GET' : 'POST');
  const { login, layouts } = scene.guide.programme;
  const { code, state } = layouts.redirect;
  const told = (name: string): string => back.searchParams.get(name) ?? '';
  const isTold = address.includes('STATE');
  assert.equal(back.searchParams.get(state), isTold ? 'STATE' : null);
  const drawn = Array.from(
    login.draws,
    ([name, { parameter }]) => [name.toUpperCase(), told(parameter)] as const,
  );
  return { CODE: told(code), ...Object.fromEntries(drawn) };
}

function actionOf(form: string): string {
  const [, action = ''] = /action="([^"]*)"/.exec(form) ?? [];
  return unescape(action);
}

const headings: readonly (readonly [GrantType, string])[] = [
  ['authorization_code', 'Exchange the code for tokens'],
  ['password', 'Get tokens with a username and password'],
  ['refresh_token', 'Refresh tokens'],
  ['client_credentials', 'Get a token of your own'],
];

for (const file of files) {
  test(`${file}: the examples of the page for its partners work as they stand`, async (t) => {
    const scene = await openScene(t, file);
    const { guide, client, member, apiKey, url } = scene;
    const { programme } = guide;
    const page = partnerPage(guide);
    const sections = sectionsOf(page);
    const usual = {
      CLIENT_SECRET: client.secret,
      API_KEY: apiKey,
      MEMBER_USERNAME: member.username,
      MEMBER_PASSWORD: member.password,
      CODE_VERIFIER: verifier,
      CODE_CHALLENGE: digest(verifier),
      STATE: 'STATE',
    };
    const offered = headings.filter(([grant]) => programme.grants.has(grant));
    assert.ok(offered.length > 0);
    let [refresh, login]: [string, Environment] = ['', {}];
    for (const [grant, heading] of offered) {
      const snippets = sections.get(heading)?.get('sh') ?? [];
      assert.ok(snippets.length > 0, heading);
      for (const snippet of snippets) {
        if (grant === 'authorization_code') login = await loginBy(scene, page);
        const given = { ...usual, ...login, REFRESH_TOKEN: refresh };
        const printed = await runSnippet(t, snippet, given);
        const kind = grant === 'client_credentials' ? 'client' : 'member';
        if (kind === 'member' && programme.grants.has('refresh_token')) {
          refresh = tokenIn(scene, grant, 'refreshToken', printed);
        }
        const [call = ''] = sections.get('Call the API')?.get('sh') ?? [];
        const answer = await runSnippet(t, `${call} --fail`, {
          ...usual,
          ACCESS_TOKEN: tokenIn(scene, grant, 'accessToken', printed),
          API_URL: `${url}${programme.ownPath}/verify/${kind}`,
        });
        assert.equal(answer, '');
      }
    }
    const [loginCommand] = sections.get('Log a member in')?.get('sh') ?? [];
    if (loginCommand !== undefined) {
      const printed = await runSnippet(t, loginCommand, usual);
      assert.ok(printed.startsWith(url + programme.login.pagePath), printed);
    }
  });
}

test('an example that is refused says so', async (t) => {
  const scene = await openScene(t, 'programmes/executive-club.yaml');
  const blocks = sectionsOf(partnerPage(scene.guide)).get('Get a token of your own');
  const [snippet = ''] = blocks?.get('sh') ?? [];
  const printed = await runSnippet(t, snippet, { CLIENT_SECRET: 'wrong' });
  assert.equal(printed, '{"error":"invalid_client"}');
});
