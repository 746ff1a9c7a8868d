// Owns the section on logins of a partner's page: the link, what comes back, and what can fail.

import { modeRows } from '../../../language/authorize_schema.ts';
import { escapeXml } from '../../../language/encoding.ts';
import { loginReasons } from '../../../oauth/login_reasons.ts';
import type { LoginEndpoint } from '../../../programme/login/endpoint.ts';
import type { Input } from '../../../programme/requests/inputs.ts';
import { isPage, type LoginFailure, loginFailuresOf, loginSuccess } from '../../login.ts';
import { curlLines, withVariables } from '../curl.ts';
import { type Guide, loginRequest } from '../guide.ts';
import {
  type Block,
  type Row,
  codeBlock,
  escaped,
  inCode,
  inputTable,
  paragraphs,
  sentence,
  spanText,
  table,
} from '../words.ts';

export function loginSection(guide: Guide): Block {
  const login = guide.programme.login.endpoint;
  return [
    '## Log a member in',
    link(guide, login),
    inputTable(
      guide,
      login.reading.inputs.map((input) => [input, isNeeded(guide, login, input)]),
    ),
    unknownInputs(login),
    proofKeys(login),
    '### What comes back',
    comeBack(guide),
    paragraphs(guide.programme, 'authorize'),
    paragraphs(guide.programme, 'code'),
    paragraphs(guide.programme, 'login'),
    '### When a login fails',
    failures(guide),
  ];
}

function isNeeded({ by, programme }: Guide, login: LoginEndpoint, input: Input<unknown>): boolean {
  // A login that names nobody is one of the client that stands for those.
  if (input.role === 'client_id') {
    return by.client.id !== programme.clients.authentication.unnamed_client;
  }
  if (input.role === 'redirect_uri') {
    return login.redirectUriRule === 'required' || by.client.redirectUris.length !== 1;
  }
  return input.neededBy.length > 0;
}

/** The address for the member's browser, and how to send it there. */
function link(guide: Guide, login: LoginEndpoint): Block {
  const {
    reading: { methods },
    binds,
  } = login;
  const request = loginRequest(guide);
  const address = addressOf(guide);
  const byServer = [
    'Your server can send the request as well, and the browser to the `Location` of the answer. This prints that address:',
    codeBlock('sh', curlLines(guide.base, request, "-sS -o /dev/null -w '%{redirect_url}\\n'")),
    'Hand that address to the member’s browser at once, by a redirect, and not by mail or chat: the login belongs to whatever opens the address first, and what shows previews of links may be the first.',
  ];
  if (methods.includes('GET')) {
    return [
      `Send the member’s browser to this address.${stateText(login)}`,
      codeBlock('text', address),
      binds !== 'request' && byServer,
    ];
  }
  const fields = (request.form ?? []).map(
    ([name, value]) =>
      `  <input type="hidden" name="${escapeXml(name)}" value="${escapeXml(withVariables(value, String))}">\n`,
  );
  const form = `<form method="post" action="${escapeXml(address)}">\n${fields.join('')}  <button>Log in</button>\n</form>`;
  const place = request.form === undefined ? 'in the address' : 'in a form';
  return [
    `The login begins with a POST whose parameters are ${place}. The member’s browser can send it, by a form such as this one.${stateText(login)}`,
    codeBlock('html', form),
    binds !== 'request' && byServer,
  ];
}

function stateText({ reading: { inputs } }: LoginEndpoint): string {
  const hasState = inputs.some(({ role }) => role === 'state');
  return hasState
    ? ' `STATE` stands for a new random value for each login, which you remember in the member’s session.'
    : '';
}

function addressOf(guide: Guide): string {
  const { path, query } = loginRequest(guide);
  const named = query.map(
    ([name, value]) =>
      `${encodeURIComponent(name)}=${encodeURIComponent(withVariables(value, String))}`,
  );
  return `${guide.base}${path}${named.length === 0 ? '' : '?'}${named.join('&')}`;
}

function unknownInputs({ reading: { unknown } }: LoginEndpoint): Block {
  return [
    unknown === 'refuse'
      ? 'A parameter that is not in this table is refused.'
      : 'A parameter that is not in this table is ignored.',
  ];
}

function proofKeys({ pkce }: LoginEndpoint): Block {
  if (pkce === 'off') return [];
  const how =
    'Make a new random verifier of 43 to 128 letters, digits, `-`, `.`, `_` or `~` for each login, send `base64url(SHA-256(verifier))` with the login request as the challenge, and the verifier itself with the code.';
  return [
    pkce === 'required'
      ? `**PKCE is required** (RFC 7636, S256). ${how}`
      : `**We recommend PKCE** (RFC 7636, S256): it makes a stolen code useless. ${how} A login that began with a challenge needs the verifier.`,
  ];
}

function comeBack({ programme }: Guide): Block {
  const { reading } = programme.login.endpoint;

  const { headers, body } = loginSuccess(programme).render(new Set(), 'fitting');
  const { code, state, mode } = programme.layouts.redirect;
  return [
    `The member has ${spanText(programme.login.lifetime)} to log in. After that the browser comes back to your redirect URI with a code${modeRows[mode]}:`,
    codeBlock('text', headers['Location'] ?? body),
    `${reading.inputs.some(({ role }) => role === 'state') ? `Compare ${inCode(state)} with the value that you remembered, and stop if it differs: somebody else may have begun that login. ` : ''}${sentence(inCode(code))} is good for ${spanText(programme.code.lifetime)} and for one exchange. Do not rely on its form; keep room for ${mostCharacters} characters.`,
  ];
}

const mostCharacters = 255;

function failures({ programme }: Guide): Block {
  const met = loginFailuresOf(programme).filter(({ metBy }) => metBy !== undefined);
  const redirected = met.filter(({ outcome }) => !isPage(outcome));
  const shown = met.filter(({ outcome }) => isPage(outcome));
  return [
    'A wrong password is told to the member on the login page, not to you; a member who gives up does not come back.',
    redirected.length !== 0 && [
      'The browser comes back to your redirect URI with an error in place of the code:',
      table(['With the redirect URI', 'Cause', 'What to do'], redirected.map(redirectRow)),
    ],
    shown.length !== 0 && [
      'The member sees a page and does not come back, because it is not certain that the request came from you:',
      table(['Status and title', 'Cause', 'What to do'], shown.map(pageRow)),
    ],
  ];
}

function redirectRow(failure: LoginFailure): Row {
  const { outcome } = failure;
  if (isPage(outcome)) return false;
  const { headers, body } = outcome.render(new Set(['parameter']), 'fitting');
  const { search, hash } = new URL(headers['Location'] ?? 'https://posted.example');
  const told = headers['Location'] === undefined ? (body.split('\n\n')[1] ?? '') : search + hash;
  return [inCode(decodeURIComponent(told)), ...advice(failure)];
}

function pageRow(failure: LoginFailure): Row {
  const { outcome } = failure;
  if (!isPage(outcome)) return false;
  return [`${outcome.status} ${escaped(outcome.title)}`, ...advice(failure)];
}

function advice({ reason, metBy = [] }: LoginFailure): readonly [string, string] {
  const { cause, remedy } = loginReasons[reason];
  return [cause.replace('{names}', () => metBy.map(inCode).join(', ')), remedy];
}
