// Owns the lists of values that a token response or a JWT can be made of.

import type { Client } from '../../oauth/client.ts';
import { grantTypes } from '../../oauth/grant.ts';
import type { Vocabulary } from './value_tree.ts';

/** `client.instance_url` names the property `instance_url` of the client's registration. */
export const clientPropertyPrefix = 'client.';

const kinds: Vocabulary['kinds'] = {
  access_token: 'text',
  refresh_token: 'text',
  scope: 'scope',
  access_lifetime: 'span',
  refresh_lifetime: 'span',
  issued_at: 'instant',
  access_expires_at: 'instant',
  refresh_expires_at: 'instant',
  token_id: 'text',
  subject: 'text',
  grant: 'text',
  kind: 'text',
  level: 'text',
  membership_number: 'text',
  client_id: 'text',
  client_name: 'text',
  business_context: 'text',
  partner_id: 'text',
  programme_identifier: 'text',
  issuer: 'text',
  audience: 'text',
  request_id: 'text',
};

export const tokenVocabulary: Vocabulary = {
  answer: 'token',
  kinds,
  prefixes: [clientPropertyPrefix],
  occasions: grantTypes,
};

/** A client's own values, by the names a file uses. */
export function clientProperties(client: Client): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(client.properties)) {
    values[clientPropertyPrefix + name] = value;
  }
  return values;
}
