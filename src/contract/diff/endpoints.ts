// Owns the rows of a programme's login request, client authentication, token endpoints and failed requests.

import { readsHeader } from '../../language/client_schema.ts';
import { signatureText } from '../../language/signature_schema.ts';
import { describeShape } from '../../language/value_shape.ts';
import { listed } from '../../lib/present.ts';
import { encodingRows } from '../../oauth/basic.ts';
import { methodRows } from '../../oauth/methods.ts';
import { type Programme, logsIn } from '../../programme/programme.ts';
import type { TokenEndpoint } from '../../programme/requests/token_endpoint.ts';
import { answerTo, formsAt, grantsOf, type ServedGrant } from '../answers.ts';
import { failuresOf } from '../failures.ts';
import { codeShape, isPage, type LoginFailure, loginFailuresOf, loginSuccess } from '../login.ts';
import { furtherEndpoints, verification, loginPage } from './gateways.ts';
import { readingRows } from './inputs.ts';
import {
  answer,
  answers,
  choice,
  type Endpoint,
  keyRows,
  type Rows,
  limit,
  limitText,
  names,
  offer,
  shape,
  text,
  type Row,
} from './rows.ts';
import { tokenRows } from './tokens.ts';

/** The endpoints in the order in which a partner meets them. */
export function endpointsOf(programme: Programme): readonly Endpoint[] {
  return listed<Endpoint>([
    logsIn(programme) && [loginRequest(programme), loginPage(programme)],
    clientAuthentication(programme),
    ...programme.tokenEndpoints.map((endpoint) => tokenEndpoint(programme, endpoint)),
    tokenRows(programme),
    {
      kind: 'every answer',
      rows: [offer('header of the request id', programme.requestIdHeader ?? 'none')],
    },
    {
      kind: 'failed requests',
      rows: [
        ...[undefined, ...Object.keys(programme.answerForms)].flatMap((form) =>
          failuresOf(programme, form).map((one) => answers(one.reason + inForm(form), one)),
        ),
        sandboxRows(programme),
      ],
    },
    verification(programme),
    ...furtherEndpoints(programme),
    { kind: 'programme', rows: keyRows(programme) },
  ]);
}

function inForm(form: string | undefined): string {
  return form === undefined ? '' : ` as ${form}`;
}

/** No promise of the live environment: nothing about it breaks partners. */
function sandboxRows({ sandbox }: Programme): Rows {
  return Object.entries(sandbox?.places ?? {}).map(([place, name]) =>
    text(`${place} that forces one`, name),
  );
}

function loginRequest(programme: Programme): Endpoint {
  const { path, reading, redirectStatus, binds } = programme.login.endpoint;
  return {
    kind: 'login request',
    path,
    requests: reading.kinds,
    rows: [
      selectorRows(programme, path),
      readingRows(programme, reading),
      keyRows(programme, 'authorize'),
      text(
        'a good request',
        `${redirectStatus} to the login page, ${binds === 'request' ? 'with the cookie that binds the login to this browser' : 'which binds the login to the browser that opens it'}`,
      ),
      answers('success', loginSuccess(programme)),
      text('codes', describeShape(codeShape(programme))),
      keyRows(programme, 'code'),
      ...loginFailuresOf(programme).map(loginFailure),
    ],
  };
}

function loginFailure({ reason, outcome }: LoginFailure): Rows {
  const title = `failure ${reason}`;
  if (!isPage(outcome)) return answers(title, outcome);
  const body = `page "${outcome.title}": ${outcome.text}`;
  return answer(title, 'page', { status: outcome.status, headers: {}, body });
}

function clientAuthentication(programme: Programme): Endpoint {
  const { authentication } = programme.clients;
  const {
    methods,
    credentials,
    when_both: both,
    scheme,
    secret_half: half,
    signature,
  } = authentication;
  const inHeader = readsHeader(authentication);
  return {
    kind: 'client authentication',
    rows: [
      ...methods.map((method) => offer(methodRows[method].offered, 'accepted')),
      inHeader && [
        text('credentials in the header', encodingRows[credentials][0]),
        authentication.basic_charset !== 'utf-8' && offer('ISO-8859-1 in the header', 'read'),
        text('their scheme', scheme),
        choice(
          'beside parameters',
          both === 'refuse' ? 'refused' : 'it alone counts',
          both === 'refuse',
        ),
      ],
      half !== undefined && text('half that is the secret', half),
      signature !== undefined &&
        offer('signature', signatureText(signature, (role) => role).replaceAll('`', '')),
      shape('client identifiers', programme.clients.shape),
      text('wrong secrets from one address', limitText(programme.clients.failureLimit)),
      limit('requests of a client', programme.throttle),
      assertionRows(programme),
    ],
  };
}

function tokenEndpoint(programme: Programme, endpoint: TokenEndpoint): Endpoint {
  const { name, path, reading, authentication } = endpoint;
  const grants = grantsOf(endpoint);
  const forms = formsAt(programme, endpoint);
  const isNarrow = authentication !== programme.clients.authentication;
  return {
    kind: 'token endpoint',
    path,
    name,
    requests: reading.kinds,
    rows: [
      selectorRows(programme, path),
      ...grants.map((grant) => offer(`grant ${grant.grant}`, grantWords(grant))),
      isNarrow &&
        names(
          'client authentication',
          authentication.methods.map((method) => methodRows[method].offered),
          ' or ',
        ),
      endpoint.untold !== undefined &&
        offer(
          'a request without grant_type asks for',
          endpoint.untold === 'inputs' ? 'the grant whose inputs came' : endpoint.untold,
        ),
      readingRows(programme, reading),
      forms.length > 1 && names('forms that a request can choose', forms.slice(1).map(String)),
      ...grants.flatMap(({ grant }) =>
        forms.flatMap((form) =>
          answers(`answer to ${grant}${inForm(form)}`, answerTo(programme, grant, form)),
        ),
      ),
    ],
  };
}

/** `grant_type` where requests can name it. */
function grantWords({ grantType, role }: ServedGrant): string {
  const named = grantType === undefined ? '' : `grant_type ${grantType}, `;
  return `${named}for clients with the role ${role}`;
}

function selectorRows({ selectors, identifier }: Programme, path: string): readonly Row[] {
  const selector = selectors.get(path);
  if (selector === undefined) return [];
  const { inHeader, wireName, scheme, isDefault } = selector;
  const place = `${inHeader ? 'header' : 'query parameter'} ${wireName}`;
  const value = scheme === undefined ? `"${identifier}"` : `"${scheme} ${identifier}"`;
  const otherwise = isDefault ? '; also answers requests that name no programme' : '';
  return [text('chosen by', `${place}: ${value}${otherwise}`)];
}

/** What assertions must be; nothing where none are taken. */
function assertionRows(programme: Programme): Rows {
  const { clients, assertionSubjects } = programme;
  if (clients.assertions === undefined) return [];
  const { jti } = clients.authentication.assertion;
  return [
    keyRows(programme, 'client.authentication.assertion'),
    text('jti of assertions', jti ?? 'required of a client, optional of a grant'),
    assertionSubjects.length !== 0 &&
      text('sub of assertions of a grant', assertionSubjects.join(' or ')),
  ];
}
