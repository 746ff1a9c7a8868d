// Owns what a contract tells of logins: the request, the redirects, the code, and the login page.

import { hash } from 'node:crypto';

import { formatDuration } from '../../lib/duration.ts';
import { type LoginFailureReason, loginFailureReasons } from '../../oauth/failure.ts';
import { usualCodeLength } from '../checks/given_out.ts';
import type { Definition } from '../language/definition.ts';
import { describeShape } from '../language/value_shape.ts';
import { writtenValues } from '../language/value_tree.ts';
import { clientPropertyPrefix } from '../language/vocabularies.ts';
import { colourSchemes } from '../login/colours.ts';
import type { Logo } from '../login/logos.ts';
import type { LoginTexts } from '../login/texts.ts';
import type { Programme } from '../programme.ts';
import { readingItems } from './inputs.ts';
import {
  answer,
  answers,
  choice,
  type Endpoint,
  type Item,
  limitText,
  span,
  text,
} from './item.ts';
import { sampleAddress, sampleClient } from './samples.ts';
import { selectorItems } from './selector.ts';

export function loginRequest(definition: Definition, programme: Programme): Endpoint {
  const { authorize, code } = definition;
  const { endpoint } = programme.login;
  const { min = usualCodeLength, max = usualCodeLength } = code.length ?? {};
  const length = Math.max(min, Math.min(max, usualCodeLength));
  const { prefix = '', characters = 'alphanumeric' } = code;
  return {
    kind: 'login request',
    path: endpoint.path,
    requests: ['login'],
    items: [
      ...selectorItems(programme, endpoint.path),
      ...readingItems({ definition, programme, endpoint: authorize.endpoint, requests: ['login'] }),
      choice(
        'redirect_uri',
        authorize.redirect_uri === 'required' ? 'required' : 'optional for a client with only one',
        authorize.redirect_uri === 'required',
      ),
      choice('PKCE', authorize.pkce, authorize.pkce === 'required'),
      text(
        'a good request',
        `${endpoint.redirectStatus} to the login page, ${endpoint.binds === 'request' ? 'with the cookie that binds the login to this browser' : 'which binds the login to the browser that opens it'}`,
      ),
      redirect(definition, programme, 'code'),
      text('codes', describeShape({ prefix, characters, length: { min: length, max: length } })),
      span('lifetime of a code', code.lifetime),
      ...loginFailureReasons.map((reason) => redirect(definition, programme, reason)),
    ],
  };
}

/** The answer that ends a login: the redirect to the partner, or a page. */
function redirect(
  definition: Definition,
  programme: Programme,
  outcome: 'code' | LoginFailureReason,
): Item {
  const { login } = programme;
  const title = outcome === 'code' ? 'success' : `failure ${outcome}`;
  const failure = outcome === 'code' ? undefined : login.failure(outcome);
  if (failure !== undefined && outcome !== 'code' && 'page' in failure) {
    const page = login.languages.texts(undefined).pages[outcome];
    return answer(title, 'page', {
      status: failure.page.status,
      headers: {},
      body: `page "${page.title}": ${page.text}`,
    });
  }
  const mayHold = [...writtenValues(definition.authorize.answer.more, outcome)].filter(
    (name) => lacked.has(name) || name.startsWith(clientPropertyPrefix),
  );
  return answers(title, {
    form: 'text',
    mayHold,
    render: (absent) => {
      const to = sampleAddress(sampleClient(programme, mayHold, absent));
      const parameter = absent.has('parameter') ? undefined : 'sample-parameter';
      const location =
        failure === undefined || outcome === 'code' || 'page' in failure
          ? login.redirect.code(to, 'CODE')
          : login.redirect.failure(to, outcome, failure, parameter);
      return { status: 302, headers: { Location: location }, body: '' };
    },
  });
}

const lacked: ReadonlySet<string> = new Set(['parameter', 'business_context', 'partner_id']);

export function loginPage(definition: Definition, programme: Programme): Endpoint {
  const { login } = definition;
  const { pagePath, lifetime, lockout, addressLimit, languages, palettes, brands, logo } =
    programme.login;
  const tags = [login.language, ...Object.keys(login.languages)];
  const standard = languages.texts(undefined).language;
  return {
    kind: 'login page',
    items: [
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
      ...tags.flatMap((tag) => textItems(definition, languages.texts(tag), tag === standard)),
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
function textItems(
  { authorize }: Definition,
  texts: LoginTexts,
  isStandard: boolean,
): readonly Item[] {
  const { language, direction: _, pages, continueTo, ...others } = texts;
  const told = Object.entries(pages).filter(([name]) => {
    const failure = (authorize.failures as Readonly<Record<string, object>>)[name];
    return failure === undefined || (!isStandard && 'page' in failure);
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
