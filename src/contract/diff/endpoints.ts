// Owns the rows of a contract's login request, token endpoints and failed requests.

import { readsHeader } from '../../language/client_schema.ts';
import { methodRows } from '../../language/methods.ts';
import { describeShape } from '../../language/value_shape.ts';
import { listed } from '../../lib/present.ts';
import type { Contract } from '../contract.ts';
import { isPage, type LoginFailurePromise, type LoginPromise } from '../login.ts';
import type { GrantPromise, TokenEndpointPromise } from '../tokens.ts';
import { assertionRows } from './assertions.ts';
import { furtherEndpoints, verification } from './gateways.ts';
import { readingRows } from './inputs.ts';
import { loginPage } from './login_page.ts';
import {
  answer,
  answers,
  choice,
  type Endpoint,
  type Rows,
  limit,
  limitText,
  offer,
  shape,
  span,
  text,
} from './rows.ts';
import { selectorRows } from './selector.ts';
import { tokenRows } from './tokens.ts';

/** The endpoints in the order in which a partner meets them. */
export function endpointsOf(contract: Contract): readonly Endpoint[] {
  const { login, tokenEndpoints, failures, programme } = contract;
  return listed<Endpoint>([
    login !== undefined && [loginRequest(contract, login), loginPage(contract)],
    clientAuthentication(contract),
    ...tokenEndpoints.map((endpoint) => tokenEndpoint(contract, endpoint)),
    tokenRows(contract),
    {
      kind: 'every answer',
      rows: [offer('header of the request id', programme.requestIdHeader ?? 'none')],
    },
    {
      kind: 'failed requests',
      rows: [...failures.map((one) => answers(one.reason, one)), sandboxRows(contract)],
    },
    verification(contract),
    ...furtherEndpoints(contract),
  ]);
}

/** No promise of the live environment: nothing about it breaks partners. */
function sandboxRows({ programme: { sandbox } }: Contract): Rows {
  return Object.entries(sandbox?.places ?? {}).map(([place, name]) =>
    text(`${place} that forces one`, name),
  );
}

function loginRequest(contract: Contract, login: LoginPromise): Endpoint {
  const { path, reading, pkce, redirectStatus, binds, redirectUriRule } = login;
  return {
    kind: 'login request',
    path,
    requests: reading.kinds,
    rows: [
      selectorRows(contract.programme, path),
      readingRows(contract, reading),
      choice(
        'redirect_uri',
        redirectUriRule === 'required' ? 'required' : 'optional for a client with only one',
        redirectUriRule === 'required',
      ),
      choice('PKCE', pkce, pkce === 'required'),
      text(
        'a good request',
        `${redirectStatus} to the login page, ${binds === 'request' ? 'with the cookie that binds the login to this browser' : 'which binds the login to the browser that opens it'}`,
      ),
      answers('success', login.success),
      text('codes', describeShape(login.code)),
      span('lifetime of a code', contract.programme.code.lifetime),
      ...login.failures.map(loginFailure),
    ],
  };
}

function loginFailure({ reason, outcome }: LoginFailurePromise): Rows {
  const title = `failure ${reason}`;
  if (!isPage(outcome)) return answers(title, outcome);
  const body = `page "${outcome.title}": ${outcome.text}`;
  return answer(title, 'page', { status: outcome.status, headers: {}, body });
}

function clientAuthentication({ programme }: Contract): Endpoint {
  const { authentication } = programme.clients;
  const { methods, credentials, when_both: both, scheme, secret_half: half } = authentication;
  const inHeader = readsHeader(authentication);
  return {
    kind: 'client authentication',
    rows: [
      ...methods.map((method) => offer(methodRows[method].offered, 'accepted')),
      inHeader && [
        text('credentials in the header', credentialWords[credentials]),
        authentication.basic_charset !== 'utf-8' && offer('ISO-8859-1 in the header', 'read'),
        text('their scheme', scheme),
        choice(
          'beside parameters',
          both === 'refuse' ? 'refused' : 'it alone counts',
          both === 'refuse',
        ),
      ],
      half !== undefined && text('half that is the secret', half),
      shape('client identifiers', programme.clients.shape),
      text('wrong secrets from one address', limitText(programme.clients.failureLimit)),
      limit('requests of a client', programme.throttle),
      assertionRows(programme),
    ],
  };
}

const credentialWords = {
  raw: 'as they are',
  form: 'form-encoded',
  either: 'as they are, or form-encoded',
  base64: 'each in base64',
} as const;

function tokenEndpoint(
  contract: Contract,
  { name, path, reading, grants }: TokenEndpointPromise,
): Endpoint {
  return {
    kind: 'token endpoint',
    path,
    name,
    requests: reading.kinds,
    rows: [
      selectorRows(contract.programme, path),
      ...grants.map((grant) => offer(`grant ${grant.grant}`, grantWords(grant))),
      readingRows(contract, reading),
      ...grants.map(({ grant, answer: told }) => answers(`answer to ${grant}`, told)),
    ],
  };
}

/** `grant_type` where requests can name it. */
function grantWords({ grantType, role }: GrantPromise): string {
  const named = grantType === undefined ? '' : `grant_type ${grantType}, `;
  return `${named}for clients with the role ${role}`;
}
