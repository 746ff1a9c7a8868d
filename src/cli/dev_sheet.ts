// Owns the sheet `dev` prints: who is onboarded, and commands for every grant and kind of error.

import { type DemoLogin, demoPath } from '../http/demo.ts';
import type { GrantType } from '../oauth/grant.ts';
import {
  sampleLoginRequest,
  type SampleRequest,
  sampleTokenRequest,
  type SampleValues,
} from '../programme/sample_request.ts';
import type { VerificationMode } from '../programme/verification.ts';
import { curlCommand } from './curl.ts';
import type { DemoProgramme } from './dev_onboarding.ts';

/** The whole sheet. Its commands work when pasted into a shell, from top to bottom. */
export function writeSheet(base: string, demos: readonly DemoProgramme[]): string {
  return [
    `Jetway dev listens on ${base}; everything is kept in memory and gone when it stops.`,
    `See the whole flow in a browser: ${base}/`,
    ...demos.flatMap((demo) => ['', ...programmeSheet(base, demo)]),
    '',
    'Ready. Stop with Ctrl-C.',
  ].join('\n');
}

/** The login request of a browser that the demo partner sends: how, and to where. */
export function demoLogin(base: string, demo: DemoProgramme): DemoLogin {
  const request = loginRequest(demo, { redirect_uri: demo.redirectUri, state: 'demo' });
  const query = new URLSearchParams(request.query.map(([name, value]) => [name, value]));
  return { method: request.method, url: `${base}${request.path}?${query.toString()}` };
}

/** A link where a login request is a GET; else the page that has a button for it. */
function loginLink(base: string, demo: DemoProgramme): string {
  const { method, url } = demoLogin(base, demo);
  return method === 'GET' ? url : base + demoPath(demo.programme.id);
}

function programmeSheet(base: string, demo: DemoProgramme): string[] {
  const { programme, by, member } = demo;
  const { grants } = programme;
  const lines = [
    `${programme.name} (${programme.id})`,
    `  client   ${by.client.id}   secret   ${by.secret}`,
    `  API key  ${demo.apiKey}`,
    `  member   ${member.username}   password ${member.password}`,
    `  login    ${loginLink(base, demo)}`,
  ];
  lines.push('', '  # what a gateway asks (verify): may this request pass?');
  lines.push(verifyCommand(base, demo, 'none', [programme.verification.apiKeyHeader, demo.apiKey]));
  if (grants.has('client_credentials')) {
    lines.push(
      '',
      "  # a partner's own token (client_credentials)",
      command('client_credentials', {}),
    );
  }
  if (grants.has('authorization_code')) {
    lines.push(
      '',
      '  # a login without a browser: leaves its code in $CODE',
      ...loginCommands(base, demo),
    );
    lines.push('', "  # a member's tokens (authorization_code)");
    lines.push(
      `  TOKENS=$(${command('authorization_code', { code: '$CODE' })
        .trim()
        .replace(/; echo$/, '')}); echo "$TOKENS"`,
      '',
      '  # and of the member whose tokens they are',
      `  ACCESS=$(printf %s "$TOKENS" | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
      verifyCommand(base, demo, 'member', ['Authorization', 'Bearer $ACCESS']),
    );
  }
  if (grants.has('password')) {
    const { username, password } = member;
    lines.push(
      '',
      "  # a member's tokens for a partner that holds the password (password)",
      command('password', { username, password }),
    );
  }
  if (grants.has('refresh_token')) {
    lines.push('', '  # new tokens for the member (refresh_token)');
    lines.push(
      `  REFRESH=$(printf %s "$TOKENS" | sed 's/.*"refresh_token":"\\([^"]*\\)".*/\\1/')`,
      command('refresh_token', { refresh_token: '$REFRESH' }),
    );
  }
  lines.push('', '  # errors', ...errorCommands(base, demo));
  return lines;

  function command(grant: GrantType, values: SampleValues): string {
    return `  ${curlCommand(base, sampleTokenRequest(demo.definition, grant, by, values))}; echo`;
  }
}

/** What a gateway sends for one request to the API; the answer is all in its head. */
function verifyCommand(
  base: string,
  { programme }: DemoProgramme,
  mode: VerificationMode,
  header: readonly [name: string, value: string],
): string {
  const path = `${programme.ownPath}/verify/${mode}`;
  return `  ${curlCommand(base, { method: 'GET', path, query: [], headers: [header] }, '-si')}`;
}

/** What a browser does at a login, by curl: cookie, hidden fields, form, redirect. */
function loginCommands(base: string, demo: DemoProgramme): string[] {
  const { member, programme, definition } = demo;
  const begin = curlCommand(
    base,
    loginRequest(demo, { redirect_uri: demo.redirectUri }),
    `-s -o /dev/null -w '%{redirect_url}' -c "$JAR"`,
  );
  const field = (name: string): string =>
    `"${name}=$(printf %s "$PAGE" | sed -n 's/.*name="${name}" value="\\([^"]*\\)".*/\\1/p')"`;
  const code = definition.authorize.answer.code;
  return [
    `  JAR=$(mktemp); PAGE=$(curl -sL -b "$JAR" -c "$JAR" "$(${begin})")`,
    `  CODE=$(curl -s -o /dev/null -w '%{redirect_url}' -b "$JAR" --data-urlencode ${field('transaction')} --data-urlencode ${field('csrf')} -d username=${member.username} --data-urlencode 'password=${member.password}' ${base}${programme.login.pagePath} | sed 's/.*[?&]${code}=\\([^&]*\\).*/\\1/')`,
  ];
}

function errorCommands(base: string, demo: DemoProgramme): string[] {
  const grants = [...demo.programme.grants];
  const grant = grants.find((type) => type === 'client_credentials') ?? 'authorization_code';
  const good = sampleTokenRequest(demo.definition, grant, demo.by, dummy(grant));
  const { credentials, ...anonymous } = good;
  const samples: [string, SampleRequest][] = [['no client authentication', anonymous]];
  if (credentials !== undefined) {
    samples.push(['wrong secret', { ...good, credentials: { ...credentials, secret: 'wrong' } }]);
  }
  samples.push(['unknown grant type', withGrantType(demo, grant, 'unknown')]);
  for (const type of grants) {
    if (Object.keys(dummy(type)).length === 0) continue;
    const wrong = sampleTokenRequest(demo.definition, type, demo.by, dummy(type));
    samples.push([`a wrong ${Object.keys(dummy(type)).join(' or ')}`, wrong]);
    samples.push([`no ${Object.keys(dummy(type)).join(' and no ')}`, empty(demo, type)]);
  }
  samples.push([
    'login: an unregistered redirect URI',
    loginRequest(demo, { redirect_uri: 'https://elsewhere.example/' }),
  ]);
  samples.push([
    'login: an unsupported response type',
    loginRequest(demo, { redirect_uri: demo.redirectUri, response_type: 'token' }),
  ]);
  return samples.map(
    ([what, request]) => `  ${curlCommand(base, request, '-si')}; echo  # ${what}`,
  );
}

function withGrantType(demo: DemoProgramme, grant: GrantType, value: string): SampleRequest {
  return sampleTokenRequest(demo.definition, grant, demo.by, {
    ...dummy(grant),
    grant_type: value,
  });
}

function empty(demo: DemoProgramme, grant: GrantType): SampleRequest {
  const blank = Object.fromEntries(Object.keys(dummy(grant)).map((name) => [name, '']));
  return sampleTokenRequest(demo.definition, grant, demo.by, blank);
}

/** What each grant needs, wrong. */
function dummy(grant: GrantType): SampleValues {
  return dummies[grant];
}

const dummies: Readonly<Record<GrantType, SampleValues>> = {
  authorization_code: { code: 'wrong' },
  refresh_token: { refresh_token: 'wrong' },
  client_credentials: {},
  password: { username: 'demo', password: 'wrong' },
};

function loginRequest(demo: DemoProgramme, values: SampleValues): SampleRequest {
  return sampleLoginRequest(demo.definition, demo.by.client, values);
}
