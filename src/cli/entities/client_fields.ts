// Owns the fields of a client. Fields with several inputs are in *_field.ts files.

import { quote } from '../../lib/fault.ts';
import { nameHint } from '../../lib/suggest.ts';
import { type Client, type Role, roles } from '../../oauth/client.ts';
import { option } from '../grammar/grammar.ts';
import { type Field, type Fields, takingAway, textField, textsOf } from './fields.ts';
import { properties, visibleFault } from './properties_field.ts';
import { redirectUris } from './redirect_uris_field.ts';
import { throttle } from './throttle_field.ts';

export type ClientFields = Pick<
  Client,
  | 'name'
  | 'status'
  | 'roles'
  | 'redirectUris'
  | 'businessContext'
  | 'partnerId'
  | 'throttle'
  | 'properties'
>;

export const clientFields: Fields<ClientFields> = {
  name: nameField("the partner's name"),
  status: { json: 'status', inputs: [], read: () => 'active' },
  roles: {
    json: 'roles',
    inputs: [
      {
        name: 'roles',
        many: true,
        quoted: true,
        check: (text) =>
          roles.some((role) => role === text) ? undefined : `is no role (${nameHint(text, roles)})`,
        option: option(
          '--role <role...>',
          'what it may do: log members in, ask for tokens of its own; may be repeated',
          { choices: roles },
        ),
        helpAtSet: 'what it may do, instead of what it may now; may be repeated',
      },
      takingAway('--no-roles', 'let it do nothing'),
    ],
    read: (given) => [...new Set(textsOf(given, 'roles'))] as readonly Role[],
    lines: (held) => [held.join(', ') || 'none: every grant is refused'],
  },
  redirectUris,
  // P-1 defines the form of these identifiers.
  businessContext: textField(
    {
      name: 'business_context',
      check: (text) =>
        /^[A-Za-z]{1,50}$/.test(text) ? undefined : `must be 1 to 50 letters, not ${quote(text)}`,
      option: option(
        '--business-context <text>',
        'its business-context-identifier: 1 to 50 letters',
      ),
    },
    'take its business-context-identifier away',
  ),
  partnerId: textField(
    {
      name: 'partner_id',
      check: (text) =>
        /^[A-Za-z0-9]{8,20}$/.test(text)
          ? undefined
          : `must be 8 to 20 letters and digits, not ${quote(text)}`,
      option: option('--partner-id <id>', 'its partner id: 8 to 20 letters and digits'),
    },
    'take its partner id away',
  ),
  throttle,
  properties,
};

export function nameField(description: string): Field<string> {
  return {
    json: 'name',
    inputs: [
      {
        name: 'name',
        required: true,
        check: (text) => visibleFault(text.trim() === '' ? '' : text, 200),
        option: option('--name <name>', description, { required: true }),
      },
    ],
    read: (given) => textsOf(given, 'name')[0] ?? '',
  };
}

/** Whether members log in for this client and it has no redirect URI. */
export function hasNoReturn({ roles: held, redirectUris: uris }: ClientFields): boolean {
  return held.includes('member') && uris.length === 0;
}
