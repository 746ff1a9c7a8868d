// Owns a programme's shell commands, made from its compiled dialect.

import {
  curlCommand,
  shellWord,
  takeOut,
  variable as shellVariable,
} from '../../contract/partner/curl.ts';
import { type SampleFault, tokenFaults, loginFaults } from '../../contract/samples/faults.ts';
import { isByOwnToken, isSigning } from '../../contract/samples/proof.ts';
import type { SampleRequest } from '../../contract/samples/requests.ts';
import { alphabetOf } from '../../language/value_shape.ts';
import { listed } from '../../lib/present.ts';
import type { GrantType } from '../../oauth/grant.ts';
import { tokenPlace } from '../../programme/answers/token_place.ts';
import { endpointsFor } from '../../programme/programme.ts';
import type { VerificationMode } from '../../programme/requests/verification.ts';
import {
  type Demo,
  loginRequest,
  loginValues,
  requestsBy,
  verifyFaults,
  verifyRequest,
} from './demo.ts';

/** The grants in order: each needs a value from the one before it. */
const steps: readonly (readonly [grant: GrantType, heading: string])[] = [
  ['client_credentials', "The partner's own token (client_credentials)"],
  ['authorization_code', "A member's tokens for that code (authorization_code)"],
  ['password', "A member's tokens for a partner that is told the password (password)"],
  ['refresh_token', 'New tokens for those (refresh_token)'],
  ['token_exchange', 'Another token for that one (token_exchange)'],
];

/**
 * Commands for bash, one a line: a login, every grant, a gateway's request, and a request for each
 * kind of error. Pasted in order, each finds its values in variables.
 */
export function commandSheet(demo: Demo): string {
  const { programme, by, member } = demo;
  // No shell signs: where clients sign, there are no commands for their tokens.
  const signs = isSigning(programme.clients.authentication);
  // No more does a sheet have a token of the client's own beforehand.
  const isProvable = (grant: GrantType): boolean =>
    endpointsFor(programme, grant).every(({ authentication }) => !isByOwnToken(authentication));
  const isMade = (grant: GrantType): boolean =>
    programme.grants.has(grant) && !signs && isProvable(grant);
  // Where members log in, later grants need the tokens of a login.
  const lacksLogin = isMembers(programme) && !membersGrants.some(isMade);
  const granted = steps.filter(
    ([grant]) => isMade(grant) && !(lacksLogin && grant !== 'client_credentials'),
  );
  const [last] = granted.at(-1) ?? [];
  const lines = listed<string>([
    `# ${programme.name} (${programme.id}): commands for bash, from top to bottom`,
    `# client   ${by.client.id}   secret   ${by.secret}`,
    `# API key  ${by.apiKey}`,
    `# member   ${member.username}   password ${member.password}`,
    ...part('May a request pass that has an API key?', passes(demo, 'none')),
    ...granted.flatMap(([grant, heading]) => [
      grant === 'authorization_code' &&
        part('A login without a browser: leaves its code in $CODE', ...loginLines(demo)),
      ...requestsOnce(demo, grant).flatMap((request) => [
        ...part(heading, ...tokenLines(demo, grant, request)),
        ...part(
          'May a request pass that has the token?',
          passes(demo, kindOf(demo, grant), 'ACCESS_TOKEN'),
        ),
      ]),
    ]),
    ...(signs
      ? part('Clients of this dialect sign assertions (private_key_jwt), which a shell does not')
      : part(
          'Errors of a token request: the reason, and what is wrong',
          ...tokenFaults(programme, by).map((fault) => faultLine(demo, fault)),
        )),
    programme.grants.has('authorization_code') &&
      part(
        'Errors of a login: a page, or a redirect with the error',
        ...loginFaults(programme, by, loginValues(demo)).map((one) => faultLine(demo, one)),
      ),
    ...part('Errors that a gateway passes on'),
    ...verifyFaults(
      demo,
      last && { token: shellVariable('ACCESS_TOKEN'), kind: kindOf(demo, last) },
    ).map((fault) => faultLine(demo, fault)),
  ]);
  return `${lines.join('\n')}\n`;
}

/** Whose tokens the commands have by then: a member's, where some grant before gave them. */
function kindOf({ programme }: Demo, grant: GrantType): 'member' | 'client' {
  return grant !== 'client_credentials' && isMembers(programme) ? 'member' : 'client';
}

const membersGrants: readonly GrantType[] = ['authorization_code', 'password'];

function isMembers({ grants }: Demo['programme']): boolean {
  return membersGrants.some((grant) => grants.has(grant));
}

function part(heading: string, ...lines: readonly string[]): readonly string[] {
  return ['', `# ${heading}`, ...lines];
}

function shown({ base }: Demo, request: SampleRequest): string {
  return `${curlCommand(base, request, '-si')}; echo`;
}

function passes(demo: Demo, mode: VerificationMode, variable?: string): string {
  const credentials = variable === undefined ? undefined : { token: shellVariable(variable) };
  return `${shown(demo, verifyRequest(demo, mode, credentials))}  # 200 OK`;
}

function faultLine(demo: Demo, { reason, what, request }: SampleFault<string>): string {
  return `${shown(demo, request)}  # ${reason}: ${what}`;
}

/** Requests by a grant at all of its endpoints, but only at one by a code, which is valid once. */
function requestsOnce(demo: Demo, grant: GrantType): readonly SampleRequest[] {
  const all = requestsBy(demo, grant, grant === 'password' ? demo.member : {});
  return grant === 'authorization_code' ? all.slice(0, 1) : all;
}

function tokenLines(demo: Demo, grant: GrantType, request: SampleRequest): readonly string[] {
  const { programme, by } = demo;
  const places = (
    [
      ['ACCESS_TOKEN', 'accessToken'],
      ['REFRESH_TOKEN', 'refreshToken'],
    ] as const
  ).flatMap(([variable, name]) => {
    const place = tokenPlace(programme, by.client, grant, name);
    return place === undefined ? [] : [{ variable, place }];
  });
  const isInHead = places.some(({ place }) => place.header !== undefined);
  const command = curlCommand(demo.base, request, isInHead ? '-si' : '-s');
  return [
    `TOKENS=$(${command}); echo "$TOKENS"`,
    ...places.map(({ variable, place }) => takeOut('TOKENS', variable, place)),
  ];
}

function loginLines(demo: Demo): readonly string[] {
  const { base, member, programme } = demo;
  const begin = curlCommand(
    base,
    loginRequest(demo),
    `-s -o /dev/null -w '%{redirect_url}' -c "$JAR"`,
  );
  const fields = [
    '"transaction=$TRANSACTION"',
    '"csrf=$CSRF"',
    shellWord(`username=${member.username}`),
    shellWord(`password=${member.password}`),
  ].map((field) => `--data-urlencode ${field}`);
  const { code, mode: usual } = programme.layouts.redirect;
  const chosen = programme.login.endpoint.reading.inputs.find(
    ({ role }) => role === 'response_mode',
  );
  const mode = chosen?.required === true ? chosen.allowed?.[0] : usual;
  const url = shellWord(base + programme.login.pagePath);
  const drawn = Array.from(
    programme.login.draws,
    ([name, { parameter }]) => [name.toUpperCase(), parameter] as const,
  );
  return [
    `JAR=$(mktemp); PAGE=$(curl -sL -b "$JAR" -c "$JAR" "$(${begin})")`,
    `${hiddenIn('PAGE', 'TRANSACTION', 'transaction')}; ${hiddenIn('PAGE', 'CSRF', 'csrf')}`,
    `BACK=$(curl -s ${mode === 'form_post' ? '' : "-o /dev/null -w '%{redirect_url}' "}-b "$JAR" ${fields.join(' ')} ${url}); rm "$JAR"`,
    ...(mode === 'form_post'
      ? [['CODE', code] as const, ...drawn].map(([name, field]) => hiddenIn('BACK', name, field))
      : [...[['CODE', code] as const, ...drawn].map(parameterIn), ...decoding(demo)]),
  ];
}

/** Takes a parameter out of an address. */
function parameterIn([variable, name]: readonly [variable: string, name: string]): string {
  const begin = `${variable}=\${BACK#*[?&#]${encodeURIComponent(name)}=}`;
  return `${begin}; ${variable}=\${${variable}%%&*}`;
}

/** Takes a hidden field out of a page. */
function hiddenIn(page: string, variable: string, name: string): string {
  return takeOut(page, variable, { behind: [`name="${name}" value="`], before: '"' });
}

/** The address has the code URL-encoded; curl encodes it anew, and JSON and XML take it with escapes. */
function decoding(demo: Demo): readonly string[] {
  const [request] = requestsBy(demo, 'authorization_code');
  const { prefix = '', characters = 'alphanumeric' } = demo.programme.code.shape;
  if (/^[\w.~-]*$/.test(prefix + alphabetOf(characters))) return [];
  const decoded = `CODE=\${CODE//+/ }; CODE=$(printf '%b.' "\${CODE//%/\\\\x}"); CODE=\${CODE%.}`;
  if (request?.raw !== undefined)
    return [decoded, `CODE=\${CODE//&/'&amp;'}; CODE=\${CODE//</'&lt;'}`];
  if (request?.json === undefined) return [decoded];
  return [decoded, `CODE=\${CODE//\\\\/\\\\\\\\}; CODE=\${CODE//\\"/\\\\\\"}`];
}
