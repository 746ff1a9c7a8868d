// Owns the first section of a partner's page: what the partner was given, and how it proves itself.

import { type ClientAuthentication, readsHeader } from '../../../language/client_schema.ts';
import { signatureText } from '../../../language/signature_schema.ts';
import { isProperty } from '../../../language/tokens/assertion_schema.ts';
import { listed } from '../../../lib/present.ts';
import { encodingRows } from '../../../oauth/basic.ts';
import {
  filled,
  methodRows,
  isHeaderMethod,
  isByCertificate,
  isBySecret,
} from '../../../oauth/methods.ts';
import {
  inputsOf,
  logsIn,
  needsSigningSecret,
  type Programme,
} from '../../../programme/programme.ts';
import { requestUrl } from '../../../programme/requests/assertion_terms.ts';
import { comparedProperties, heldValues } from '../../../programme/requests/client_values.ts';
import { sampleProof } from '../../samples/proof.ts';
import type { Guide } from '../guide.ts';
import {
  type Block,
  type Row,
  escaped,
  inCode,
  paragraphs,
  sentence,
  spanText,
  table,
} from '../words.ts';

export function givenSection(guide: Guide): Block {
  const { by, isRegistered } = guide;
  const { roles } = by.client;
  const missing = isRegistered && roles.length === 0;
  return [
    '## What you were given',
    isRegistered
      ? 'This is what we have registered for you in this environment:'
      : 'You get this when we register you; each environment has its own. Words in capitals stand for your values.',
    table(['What', 'Value'], rows(guide)),
    missing && 'You are not registered for any kind of token yet: ask us.',
    keepText(guide),
    authentication(guide),
  ];
}

function provesBySecret({ programme, by }: Guide): boolean {
  const { methods } = programme.clients.authentication;
  return by.client.isPublic !== true && methods.some(isBySecret);
}

/** What nobody else may have, by how clients prove themselves; what the examples read is first. */
export function keptSecrets(guide: Guide): readonly string[] {
  const { programme, by } = guide;
  if (by.client.isPublic === true) return [];
  const { authentication, assertions } = programme.clients;
  return listed<string>([
    ...shownSecrets(guide),
    needsSigningSecret(programme) && 'signing secret',
    assertions !== undefined &&
      (isProperty(authentication.assertion.sub)
        ? 'your assertions'
        : 'the private key of your assertions'),
    authentication.methods.some(isByCertificate) && 'the private key of your certificate',
  ]);
}

function shownSecrets(guide: Guide): readonly string[] {
  return listed([provesBySecret(guide) && 'secret', guide.by.apiKey !== undefined && 'API key']);
}

function keepText(guide: Guide): string | false {
  const [kept, shown] = [keptSecrets(guide), shownSecrets(guide)];
  if (kept.length === 0) return false;
  const read = kept.length === shown.length ? 'them' : `the ${shown.join(' and ')}`;
  const examples =
    shown.length === 0 ? '' : ` The examples read ${read} from environment variables.`;
  return `Keep ${kept.join(' and ')} on your servers: never in a web page, an app or a repository.${examples}`;
}

function rows(guide: Guide): readonly Row[] {
  const { programme, by, base, isRegistered } = guide;
  const { client } = by;
  const inputs = inputsOf(programme);
  const named = (comparison: string, role?: string): readonly string[] => [
    ...new Set(
      inputs
        .filter((input) => input.must_equal === comparison || input.role === role)
        .map(({ name }) => name),
    ),
  ];
  const properties = new Set(
    comparedProperties(inputs).map(({ name }) => `client.${name}` as const),
  );
  const held = [
    [named('programme.identifier'), [programme.identifier]],
    [named('client.business_context', 'context'), heldValues('client.business_context')(client)],
    [named('client.partner_id'), heldValues('client.partner_id')(client)],
    ...[...properties].map((one) => [named(one), heldValues(one)(client)] as const),
  ] as const;
  return [
    ['Address', inCode(base + programme.basePath)],
    ['Client identifier', inCode(client.id)],
    provesBySecret(guide) && [
      'Client secret',
      'shown once, when you were registered; `CLIENT_SECRET` in the examples',
    ],
    needsSigningSecret(programme) &&
      by.client.isPublic !== true && ['Signing secret', 'shown once, when you were registered'],
    by.apiKey !== undefined && [
      'API key',
      'shown once, when you were registered; `API_KEY` in the examples',
    ],
    ...held.flatMap(([names, values]) =>
      names.length === 0 || values.length === 0
        ? []
        : [[names.map(inCode).join(', '), values.map(inCode).join(' or ')]],
    ),
    logsIn(programme) && [
      'Redirect URIs',
      client.redirectUris.length === 0
        ? 'none'
        : client.redirectUris.map(inCode).join(', ') + comparedText(guide),
    ],
    programme.isCrossOrigin &&
      client.isPublic === true && ['Origins of your pages', originsText(client)],
    isRegistered && ['Registered as', escaped(client.name)],
  ];
}

/** Which pages can read answers (CORS). */
function originsText({ origins = [] }: Guide['by']['client']): string {
  const held = origins.length === 0 ? 'none yet' : origins.map(inCode).join(', ');
  return `${held}; a page in a browser reads our answers only from one of these, and sends no cookies along`;
}

/** How redirect URIs are compared; an app listens on a port that is free (RFC 8252 7.3). */
function comparedText({ by, isRegistered }: Guide): string {
  if (by.client.isPublic !== true) return isRegistered ? '' : ' (yours; compared to the letter)';
  return ` (${isRegistered ? '' : 'yours; '}compared to the letter, but for the port of \`http://127.0.0.1\`, \`http://[::1]\` and \`http://localhost\`, which is free)`;
}

/** The name of an input of token requests. */
function wireName({ tokenEndpoints }: Programme, role: string): string {
  const inputs = tokenEndpoints.flatMap(({ reading }) => reading.inputs);
  return inputs.find((input) => input.role === role)?.name ?? role;
}

/** The ways in which a client proves itself, as Markdown: those in a header first. */
export function waysToProve(
  programme: Programme,
  { methods, scheme, secret_half: half }: ClientAuthentication,
): readonly string[] {
  const nameOf = (role: string): string => wireName(programme, role);
  const names = {
    id: nameOf('client_id'),
    secret: nameOf('client_secret'),
    token: nameOf('client_token'),
    signature: nameOf('client_signature'),
    scheme,
  };
  const halves = { first: 'the secret and a colon', second: 'a colon and the secret' };
  const alone = { ...halves, either: 'the secret, with a colon before or behind it' };
  const inOrder = [
    ...methods.filter(isHeaderMethod),
    ...methods.filter((one) => !isHeaderMethod(one)),
  ];
  const ways = inOrder.flatMap((method) => {
    if (method === 'secret' && half !== undefined) {
      return `the header \`Authorization: ${scheme}\`, with base64 of ${alone[half]}`;
    }
    const { partner } = methodRows[method];
    return partner === undefined ? [] : filled(partner, names);
  });
  return [...new Set(ways)];
}

/** How a client proves itself, in words. */
function authentication({ programme, by }: Guide): Block {
  const { authentication: asked } = programme.clients;
  const { methods, credentials, when_both: both } = asked;
  const encoded =
    encodingRows[credentials][1] +
    (asked.basic_charset === 'utf-8' ? '' : ' Letters beyond ASCII may be in UTF-8 or ISO-8859-1.');
  if (by.client.isPublic === true) {
    const inputs = programme.tokenEndpoints.flatMap(({ reading }) => reading.inputs);
    const id = inputs.find(({ role }) => role === 'client_id')?.name ?? 'client_id';
    const { inputs: named } = sampleProof(asked, by);
    const enough =
      named['client_id'] === undefined
        ? 'a request without any credentials is yours'
        : `${inCode(id)} in the request, and the PKCE verifier of the login, are enough`;
    return [
      `You have no secret: ${enough}. What stands in an app or a web page can be read out of it: put no secret and no API key of another client there.`,
    ];
  }
  const ways = waysToProve(programme, asked);
  const isSeveral =
    methods.filter((method) => /^(?:bare_)?basic$/.test(method)).length < methods.length &&
    ways.length > 1;
  const one =
    both === 'refuse' || !readsHeader(asked)
      ? ' Use one of them in a request.'
      : ' The header alone counts where it is sent.';
  return [
    `You prove who you are by ${ways.join(', or by ')}.${encoded}${isSeveral ? one : ''}`,
    asked.signature !== undefined &&
      signatureText(asked.signature, (role) => wireName(programme, role)),
    assertionText(programme),
    paragraphs(programme, 'client'),
  ];
}

/** An overview of the requests in the order in which they are made. */
export function overview({ programme }: Guide): Block {
  const { grants: offered } = programme;
  const steps = listed<string>([
    logsIn(programme) && [
      'Send the member’s browser to our login page.',
      'The browser comes back to you with a code.',
      `Exchange the code for an access token${offered.has('refresh_token') ? ' and a refresh token' : ''}.`,
    ],
    offered.has('password') && 'Or exchange a username and password for them.',
    offered.has('client_credentials') &&
      'For calls that are about no member, get a token of your own.',
    'Call the API with the access token.',
    offered.has('refresh_token') && 'When it has ended, refresh it.',
  ]);
  return steps.map((step, index) => `${index + 1}. ${sentence(step)}`).join('\n');
}

function assertionText(programme: Programme): Block {
  const terms = programme.clients.assertions;
  if (terms === undefined) return [];
  const { issuer, sub, audience, algorithms, longest, tolerance } =
    programme.clients.authentication.assertion;
  const named = (text: string): string => `your ${inCode(text.slice('client.'.length))}`;
  const told = (one: string): string => (one === requestUrl ? one : inCode(one));
  const audiences = [
    ...terms.expectedOf(undefined).audiences.map(told),
    ...audience.filter((one) => one.startsWith('client.')).map(named),
  ];
  const isNeeded = Object.values(terms.rules).some(({ needsId }) => needsId);
  const once = `and${isNeeded ? '' : ', best,'} a \`jti\` of its own: one with a \`jti\` is good once`;
  const id = terms.isRepeatable ? 'and is good until it ends' : once;
  const isOfAnother = isProperty(sub);
  const subject = isOfAnother ? `, \`sub\` with ${named(sub)}` : '';
  return [
    `An assertion is a JWT (RFC 7523) that ${isOfAnother ? "its issuer's" : 'your'} private key signs by ${algorithms.map(inCode).join(', ')}; we have the public key. It has \`iss\` ${issuer === 'client.id' ? 'with your client identifier' : `with ${named(issuer)}`}${subject}, \`aud\` with ${audiences.join(' or ')}, \`exp\` at most ${spanText(longest)} ahead (clocks may differ by ${spanText(tolerance)}) ${id}.`,
  ];
}
