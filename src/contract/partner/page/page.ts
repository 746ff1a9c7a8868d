// Owns the page that tells a programme's partners how to get and use tokens, as Markdown: its sections in order,
// and the last of them.

import { listed } from '../../../lib/present.ts';
import { programmePaths } from '../../../oauth/own_paths.ts';
import { logsIn } from '../../../programme/programme.ts';
import { variable } from '../curl.ts';
import { type Guide, isToldOf, introspectionFor, managementRequest } from '../guide.ts';
import { type Block, escaped, example, inCode, table } from '../words.ts';
import { failureSection, sandboxSection } from './failures.ts';
import { givenSection, keptSecrets, overview } from './given.ts';
import { loginSection } from './login.ts';
import { tokenSections } from './tokens.ts';
import { callSection, lifetimeSection, limitSection, retrySection } from './use.ts';

/** Which of a partner's pages this is. */
function facts({ programme, deployed }: Guide): string {
  const [day = ''] = new Date(deployed?.at ?? 0).toISOString().split('T');
  return table(
    ['About this page', 'Value'],
    [
      deployed !== undefined && ['Environment', deployed.environment],
      ['Version of the interface', escaped(programme.interfaceVersion)],
      deployed !== undefined && ['As of', day],
      deployed?.contact !== undefined && ['Questions', escaped(deployed.contact)],
    ],
  );
}

/** The page in the order in which a partner's developer needs it. */
export function partnerPage(guide: Guide): string {
  const { programme } = guide;
  const sections = listed<string>([
    `# ${escaped(programme.name)}: guide for partners`,
    'How your software logs members in, gets tokens and uses them. This page is made from what the server does, so it holds to the letter.',
    facts(guide),
    overview(guide),
    givenSection(guide),
    logsIn(programme) && isToldOf(guide, 'member') && loginSection(guide),
    tokenSections(guide),
    callSection(guide),
    lifetimeSection(guide),
    retrySection(guide),
    limitSection(guide),
    endSections(guide),
    failureSection(guide),
    sandboxSection(guide),
    furtherSections(guide),
    helpSection(guide),
  ]);
  return `${sections.join('\n\n')}\n`;
}

/** How tokens end before their time: by a logout, by the partner, by the operator. */
function endSections(guide: Guide): Block {
  const { programme, by } = guide;
  const { revocation, grants, access } = programme;
  const along = listed<string>([
    access.beside.grants.size > 0 &&
      access.beside.isFor(by.client) &&
      'the token of your own that came in the same answer',
    grants.has('token_exchange') && 'what you have got for it by an exchange',
  ]);
  const fate = along.length === 0 ? 'ends alone' : `ends together with ${along.join(' and ')}`;
  const refreshes = grants.has('refresh_token');
  const ended =
    revocation === undefined
      ? 'No request ends them here, so whoever has a copy can use it until it ends (see “Lifetimes”).'
      : 'Revoke them first: see “Revoke tokens”.';
  const kept = ['tokens', ...keptSecrets(guide)].join(' or ');
  return [
    logsIn(programme) && [
      '## Log a member out',
      `When a member logs out at your side, end your own session and delete the member’s tokens. ${ended} We keep no session in the browser: the next login asks for username and password again.`,
    ],
    '## Revoke tokens',
    revocation !== undefined && [
      `${refreshes ? 'If you revoke a refresh token (RFC 7009), the login and all of its tokens end. An' : 'You can revoke tokens (RFC 7009). An'} access token ${fate}, and counts as a token request. The answer is always 200, whether or not the token was good.`,
      example(
        guide.base,
        managementRequest(
          guide,
          revocation,
          variable(refreshes ? 'REFRESH_TOKEN' : 'ACCESS_TOKEN'),
        ),
      ),
    ],
    `If others may have ${kept}, ask us at once: we can end all tokens of a member or of yours, and replace what you were given.`,
    'Tokens can also end without you: when the member’s account is closed, blocked or gets a new password, or when we end them. Be ready for a refusal at any time.',
  ];
}

function furtherSections(guide: Guide): Block {
  const introspection = introspectionFor(guide);
  return [
    keySet(guide),
    identitySections(guide),
    introspection !== undefined && [
      '## Ask about a token',
      `You can ask whether one of your own tokens is good still (RFC 7662). Others’ tokens are told as \`{"active":false}\`.`,
      example(guide.base, managementRequest(guide, introspection, variable('ACCESS_TOKEN'))),
    ],
    metadata(guide),
  ];
}

function keySet({ programme }: Guide): Block {
  const { signsTokens, access, issuer, audience, resources } = programme;
  if (!signsTokens || !access.isSigned) return [];
  const asked = resources.length === 0 ? '' : ' (or the API that your request has named)';
  return [
    '## Verify tokens yourself',
    `Access tokens are JWTs, signed with ${access.algorithm}. You do not need to read them to call the API. If a service of yours takes them from others, let a JWT library check signature, \`exp\`, ${inCode(`iss = ${access.issuer}`)} and ${inCode(`aud = ${audience}`)}${asked}, with the keys at ${inCode(issuer + programmePaths.keySet)}. Keys change: load them again when a token names an unknown \`kid\`. A revoked token passes such a check until it ends.`,
  ];
}

function identitySections({ programme, base }: Guide): Block {
  const { identity: token, userinfo, issuer, resources } = programme;
  const { origin } = new URL(base);
  return [
    token !== undefined && [
      '## Know who has logged in',
      `The answer to a code holds an identity token (OpenID Connect), a JWT signed with ${token.algorithm}. Let a library check its signature with the keys at ${inCode(issuer + programmePaths.keySet)}, ${inCode(`iss = ${issuer}`)}, \`aud\` (your client identifier), \`exp\`, and the \`nonce\` that you sent with the login request. \`sub\` is the member, for good. It is for you alone: the API takes access tokens.`,
    ],
    userinfo !== undefined && [
      '## Ask about the member',
      `With a member's access token${resources.length === 0 ? ',' : ' for which you named no API,'} ${inCode(`GET ${origin + userinfo.path}`)} and ${inCode('Authorization: Bearer …')} tell what is known of the member.`,
    ],
  ];
}

function metadata({ programme, base }: Guide): Block {
  const { origin } = new URL(base);
  const { identity, issuer } = programme;
  const [path] = programme.metadata?.paths ?? [];
  if (path === undefined) return [];
  return [
    '## Configure a standard client',
    `Libraries that know RFC 8414 configure themselves from ${inCode(origin + path)}${identity === undefined ? '' : `, those that know OpenID Connect from the issuer ${inCode(issuer)}`}.`,
  ];
}

function helpSection({ programme, by, deployed }: Guide): Block {
  const { requestIdHeader } = programme;
  const reference =
    requestIdHeader === undefined
      ? 'when it happened, with the time zone, your client identifier'
      : `the value of ${inCode(requestIdHeader)}, which every answer has: by it we find the request. If you have none, tell us when it happened, with the time zone, your client identifier`;
  return [
    '## Ask for help',
    deployed?.contact !== undefined && `Ask ${escaped(deployed.contact)}.`,
    `Tell us ${reference} (${inCode(by.client.id)}), and status and body of the answer.${!logsIn(programme) ? '' : ' If a member saw a page, tell us the reference that stands on it.'} Never send secrets, codes or tokens.`,
    'For your tools there is the same as an OpenAPI document: ask us for it.',
  ];
}
