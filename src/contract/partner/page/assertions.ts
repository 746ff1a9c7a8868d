// Owns what a partner's page says of assertions: the claims that they need (RFC 7523 3).

import type { Programme } from '../../../programme/programme.ts';
import { requestUrl } from '../../../programme/requests/assertion_terms.ts';
import { type Block, inCode } from '../markdown.ts';
import { spanText } from './words.ts';

export function assertionText(programme: Programme): Block {
  const terms = programme.clients.assertions;
  if (terms === undefined) return [];
  const { issuer, audience, algorithms, longest, tolerance } =
    programme.clients.authentication.assertion;
  const named = (text: string): string => `your ${inCode(text.slice('client.'.length))}`;
  const told = (one: string): string => (one === requestUrl ? one : inCode(one));
  const audiences = [
    ...terms.expectedOf(undefined).audiences.map(told),
    ...audience.filter((one) => one.startsWith('client.')).map(named),
  ];
  const id = Object.values(terms.rules).some(({ needsId }) => needsId)
    ? 'and a `jti` of its own'
    : 'and, best, a `jti` of its own';
  return [
    `An assertion is a JWT (RFC 7523) that your private key signs by ${algorithms.map(inCode).join(', ')}; we have the public key. It has \`iss\` ${issuer === 'client.id' ? 'with your client identifier' : `with ${named(issuer)}`}, \`aud\` with ${audiences.join(' or ')}, \`exp\` at most ${spanText(longest)} ahead (clocks may differ by ${spanText(tolerance)}) ${id}: one with a \`jti\` is good once.`,
  ];
}
