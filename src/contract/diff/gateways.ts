// Owns the rows of what is met beside token requests: verification, introspection, revocation, the key set, the
// metadata, and the login page.

import { hash } from 'node:crypto';

import type { Logo } from '../../language/logos.ts';
import { formatDuration } from '../../lib/duration.ts';
import { loginFailureReasons } from '../../oauth/login_reasons.ts';
import { programmePaths } from '../../oauth/own_paths.ts';
import { colourSchemes } from '../../programme/login/colours.ts';
import type { LoginTexts } from '../../programme/login/texts.ts';
import { inputsOf, type Programme } from '../../programme/programme.ts';
import { comparedProperties } from '../../programme/requests/client_values.ts';
import { identityKeyRules, signingKeyRules } from '../../token/key_rules.ts';
import { userinfoAnswers } from '../answers.ts';
import { sampleClient, sampleMember } from '../samples/answers.ts';
import { inputRow } from './inputs.ts';
import { answer, answers, type Endpoint, type Row, offer, text, limitText } from './rows.ts';

export function verification(programme: Programme): Endpoint {
  const { verification: rules, ownPath } = programme;
  const names = comparedProperties(inputsOf(programme)).map(({ name }) => `client.${name}`);
  const values = [...names, ...rules.tells];
  const caller = sampleClient(programme, values, new Set());
  const member = sampleMember(values, new Set());
  const told = rules.toldHeaders.map(
    ({ name, valueFor }) => [name, valueFor(caller, undefined, member) ?? ''] as const,
  );
  return {
    kind: 'verification',
    path: `${ownPath}${programmePaths.verify}*`,
    requests: ['call'],
    rows: [
      offer('header of the API key', rules.apiKeyHeader),
      ...rules.comparedHeaders.map((input) =>
        inputRow(programme, input, { kinds: ['call'], unknown: 'ignore' }),
      ),
      answer('a yes, beside X-Auth-*', 'text', {
        status: 200,
        headers: Object.fromEntries(told),
        body: '',
      }),
    ],
  };
}

/** The optional endpoints that the file turns on. */
export function furtherEndpoints(programme: Programme): readonly Endpoint[] {
  const { introspection, revocation, userinfo, metadata, signsTokens, ownPath } = programme;
  const algorithms = [signingKeyRules, identityKeyRules].map((of) => of(programme).algorithm);
  const keySet: Endpoint = {
    kind: 'key set',
    path: ownPath + programmePaths.keySet,
    rows: [text('keys', [...new Set(algorithms)].filter((one) => one !== undefined).join(', '))],
  };
  const revoking = revocation && { kind: 'revocation', path: revocation.path, rows: [] };
  const asking = introspection && {
    kind: 'introspection',
    path: introspection.path,
    rows: introspectionRows(programme),
  };
  const told = userinfoAnswers(programme);
  const telling = userinfo &&
    told && { kind: 'userinfo', path: userinfo.path, rows: [answers('answer', told)] };
  const describing = metadata && {
    kind: 'metadata',
    path: metadata.paths[0] ?? '',
    rows: [
      ...metadata.paths.map((path) => offer(`path ${path}`, 'answered')),
      answer('document', 'json', {
        status: 200,
        headers: {},
        body: metadata.document({ introspection: true, keySet: signsTokens }),
      }),
    ],
  };
  const all = [signsTokens ? keySet : undefined, asking, revoking, telling, describing];
  return all.filter((endpoint) => endpoint !== undefined);
}

function introspectionRows({ issuer, audience, access }: Programme): readonly Row[] {
  return [
    offer('iss', issuer),
    offer('aud', audience),
    text('jti', access.tokenId === 'number' ? 'a number' : 'a UUID'),
  ];
}

export function loginPage(programme: Programme): Endpoint {
  const { pagePath, lifetime, lockout, addressLimit, languages, palettes, brands, logo } =
    programme.login;
  const { tags } = languages;
  const standard = languages.texts(undefined).language;
  return {
    kind: 'login page',
    rows: [
      text('address', pagePath),
      text('time to log in', formatDuration(lifetime)),
      text(
        'wrong passwords for a username',
        lockout === undefined
          ? 'no limit'
          : `${lockout.attempts} in ${formatDuration(lockout.window)}, then locked for ${formatDuration(lockout.lock)}`,
      ),
      text('failed logins from one address', limitText(addressLimit)),
      text('languages', tags.join(', ')),
      text('usual language', standard),
      text('menu of languages', languages.offered.length === 0 ? 'none' : 'shown'),
      ...tags.flatMap((tag) => textRows(programme, languages.texts(tag), tag === standard)),
      text('logo', pictureText(logo)),
      ...colourSchemes.map((scheme) =>
        text(
          `colours, ${scheme}`,
          Object.entries(palettes[scheme])
            .map(([name, colour]) => `${name} ${colour}`)
            .join(', '),
        ),
      ),
      ...[...brands].map(([name, brand]) =>
        text(`brand ${name}`, `${brand.name}, logo: ${pictureText(brand.logo)}`),
      ),
    ],
  };
}

/** A picture by its content: the name of its file is not sent. */
function pictureText(logo: Logo | undefined): string {
  if (logo === undefined) return 'none';
  const paper = logo.adapts ? ', with colours for dark pages' : '';
  return `${logo.type}, SHA-256 ${hash('sha256', logo.bytes).slice(0, 12)}${paper}`;
}

/** Every text of one language, without the pages of failures that are redirects or told already. */
function textRows({ login }: Programme, texts: LoginTexts, isStandard: boolean): readonly Row[] {
  const { language, direction: _, pages, continueTo, ...others } = texts;
  const told = Object.entries(pages).filter(([name]) => {
    const reason = loginFailureReasons.find((one) => one === name);
    return reason === undefined || (!isStandard && 'page' in login.failure(reason));
  });
  const all = {
    ...others,
    continue_to: continueTo.join('{partner}'),
    page: Object.fromEntries(told),
  };
  return leaves(all).map(([path, words]) => text(`${language}: ${path.join(' ')}`, words));
}

interface Texts {
  readonly [name: string]: string | Texts;
}

function leaves(texts: object): readonly (readonly [path: readonly string[], words: string])[] {
  return Object.entries(texts as Texts).flatMap(([name, value]) =>
    typeof value === 'string'
      ? [[[name], value] as const]
      : leaves(value).map(([path, words]) => [[name, ...path], words] as const),
  );
}
