// Owns the last sections of a partner's page: further endpoints, and what to say when asking for help.

import { programmePaths } from '../../../oauth/own_paths.ts';
import { logsIn } from '../../../programme/programme.ts';
import { type Guide, introspectionFor, managementRequest } from '../guide.ts';
import { type Block, escaped, inCode } from '../markdown.ts';
import { variable } from '../snippets/variables.ts';
import { example } from './words.ts';

export function furtherSections(guide: Guide): Block {
  const { programme } = guide;
  const { revocation } = programme;
  const introspection = introspectionFor(guide);
  return [
    keySet(guide),
    identitySections(guide),
    revocation !== undefined && [
      '## Give tokens up',
      `When a member logs out at your side, revoke the refresh token (RFC 7009): the login and all of its tokens end. An access token ends alone, and counts as a token request. The answer is always 200, whether or not the token was good.`,
      example(guide.base, managementRequest(guide, revocation, variable('REFRESH_TOKEN'))),
    ],
    introspection !== undefined && [
      '## Ask about a token',
      `You can ask whether one of your own tokens is good still (RFC 7662). Others’ tokens are told as \`{"active":false}\`.`,
      example(guide.base, managementRequest(guide, introspection, variable('ACCESS_TOKEN'))),
    ],
    metadata(guide),
  ];
}

function keySet({ programme }: Guide): Block {
  const { signsTokens, access, issuer, audience } = programme;
  if (!signsTokens || !access.isSigned) return [];
  return [
    '## Verify tokens yourself',
    `Access tokens are JWTs, signed with ${access.algorithm}. You do not need to read them to call the API. If a service of yours takes them from others, let a JWT library check signature, \`exp\`, ${inCode(`iss = ${issuer}`)} and ${inCode(`aud = ${audience}`)}, with the keys at ${inCode(issuer + programmePaths.keySet)}. Keys change: load them again when a token names an unknown \`kid\`. A revoked token passes such a check until it ends.`,
  ];
}

function identitySections({ programme, base }: Guide): Block {
  const { identity: token, userinfo, issuer, access } = programme;
  const { origin } = new URL(base);
  return [
    token !== undefined && [
      '## Know who has logged in',
      `The answer to a code holds an identity token (OpenID Connect), a JWT signed with ${access.algorithm}. Let a library check its signature with the keys at ${inCode(issuer + programmePaths.keySet)}, ${inCode(`iss = ${issuer}`)}, \`aud\` (your client identifier), \`exp\`, and the \`nonce\` that you sent with the login request. \`sub\` is the member, for good. It is for you alone: the API takes access tokens.`,
    ],
    userinfo !== undefined && [
      '## Ask about the member',
      `With a member's access token, ${inCode(`GET ${origin + userinfo.path}`)} and ${inCode('Authorization: Bearer …')} tell what is known of the member.`,
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

export function helpSection({ programme, by, deployed }: Guide): Block {
  const { requestIdHeader } = programme;
  const reference =
    requestIdHeader === undefined
      ? 'when it happened, with the time zone, your client identifier'
      : `the value of ${inCode(requestIdHeader)}, which every answer has: by it we find the request. If you have none, tell us when it happened, with the time zone, your client identifier`;
  return [
    '## Ask for help',
    deployed?.contact !== undefined && `Ask ${escaped(deployed.contact)}.`,
    `Tell us ${reference} (${inCode(by.client.id)}), and status and body of the answer.${!logsIn(programme) ? '' : ' If a member saw a page, tell us the reference that stands on it.'} Never send secrets, codes or tokens.`,
  ];
}
