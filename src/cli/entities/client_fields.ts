// Owns the fields of a client; redirect URIs and properties have files of their own.

import { milliseconds } from '../../lib/clock.ts';
import { formatDuration, parseDuration } from '../../lib/duration.ts';
import { quote } from '../../lib/fault.ts';
import { nameHint } from '../../lib/suggest.ts';
import {
  type Client,
  type Role,
  roles,
  type ThrottleLimit,
  type Gateway,
} from '../../oauth/client.ts';
import { origins, redirectUris } from './address_fields.ts';
import { certificates, certificateSubject } from './certificates_field.ts';
import {
  type Field,
  fieldsOf,
  formFault,
  type Input,
  takingAway,
  textField,
  textsOf,
} from './fields.ts';
import { assertionKeys } from './keys_field.ts';
import { properties, visibleFault } from './properties_field.ts';

export type ClientFields = Pick<
  Client,
  | 'name'
  | 'status'
  | 'roles'
  | 'redirectUris'
  | 'origins'
  | 'businessContext'
  | 'partnerId'
  | 'throttle'
  | 'properties'
  | 'certificates'
  | 'certificateSubject'
  | 'isPublic'
  | 'assertionKeys'
>;

const like = '{ limit: 600, window: 1m }';
const windowText = ({ window }: ThrottleLimit): string => formatDuration(milliseconds(window));

const throttle: Field<ThrottleLimit | undefined, 'throttle'> = {
  json: 'throttle',
  inputs: [
    {
      name: 'throttle_limit',
      nested: { map: 'throttle', key: 'limit', like },
      words: "the throttle's limit",
      check: (text) =>
        /^\d{1,7}$/.test(text) && Number(text) >= 1 && Number(text) <= 1_000_000
          ? undefined
          : `must be a number from 1 to 1000000, not ${quote(text)}`,
      flags: '--throttle-limit <count>',
      help: 'token requests it may make in a window',
    },
    {
      name: 'throttle_window',
      nested: { map: 'throttle', key: 'window', like },
      words: "the throttle's window",
      check: (text) =>
        (parseDuration(text) ?? 0) >= 1000
          ? undefined
          : `must be a duration of at least 1s, such as 1m, not ${quote(text)}`,
      flags: '--throttle-window <duration>',
      help: 'the window, such as 1m',
    },
    takingAway('--no-throttle', "hold it to the programme's limit again"),
  ],
  complaints: (given) => {
    const [limit, window] = [given.get('throttle_limit'), given.get('throttle_window')];
    if ((limit === undefined) === (window === undefined)) return [];
    return (limit ?? window ?? []).map(({ at }) =>
      at === undefined
        ? { message: '--throttle-limit and --throttle-window go together' }
        : { at, message: "a throttle's limit and window go together" },
    );
  },
  read: (given) => {
    const [limit] = textsOf(given, 'throttle_limit');
    const window = parseDuration(textsOf(given, 'throttle_window')[0] ?? '');
    if (limit === undefined || window === undefined) return undefined;
    return { limit: Number(limit), window };
  },
  view: (value) => (value === undefined ? null : { ...value, window: windowText(value) }),
  lines: (value) => (value === undefined ? [] : [`${value.limit} in ${windowText(value)}`]),
};

/** RFC 6749 2.1; fixed when a client is added (`client add --public`), since it decides about its secret. */
const clientType: Field<true | undefined, 'client_type'> = {
  json: 'client_type',
  inputs: [
    {
      name: 'client_type',
      quoted: true,
      check: (text) =>
        text === 'public' || text === 'confidential' ? undefined : 'must be public or confidential',
    },
  ],
  read: (given) => (textsOf(given, 'client_type')[0] === 'public' ? true : undefined),
  view: typeWord,
  lines: (isPublic) => (isPublic === true ? [typeWord(isPublic)] : []),
};

function typeWord(isPublic: true | undefined): string {
  return isPublic === true ? 'public' : 'confidential';
}

export const clientFields = fieldsOf<ClientFields>()({
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
        flags: '--role <role...>',
        help: 'what it may do: log members in, ask for tokens of its own; may be repeated',
        choices: roles,
        helpAtSet: 'what it may do, instead of what it may now; may be repeated',
      },
      takingAway('--no-roles', 'let it do nothing'),
    ],
    read: (given) => [...new Set(textsOf(given, 'roles'))] as readonly Role[],
    lines: (held) => [held.join(', ') || 'none: every grant is refused'],
  },
  redirectUris,
  origins,
  // P-1 defines the form of these identifiers.
  businessContext: textField(
    {
      name: 'business_context',
      check: formFault(/^[A-Za-z]{1,50}$/, '1 to 50 letters'),
      flags: '--business-context <text>',
      help: 'its business-context-identifier: 1 to 50 letters',
    },
    'take its business-context-identifier away',
  ),
  partnerId: textField(
    {
      name: 'partner_id',
      check: formFault(/^[A-Za-z0-9]{8,20}$/, '8 to 20 letters and digits'),
      flags: '--partner-id <id>',
      help: 'its partner id: 8 to 20 letters and digits',
    },
    'take its partner id away',
  ),
  throttle,
  properties,
  isPublic: clientType,
  certificates,
  certificateSubject,
  assertionKeys,
});

function nameField(description: string): Field<string, 'name'> {
  return {
    json: 'name',
    inputs: [
      {
        name: 'name',
        required: true,
        check: (text) => visibleFault(text.trim() === '' ? '' : text, 200),
        flags: '--name <name>',
        help: description,
      },
    ],
    read: (given) => textsOf(given, 'name')[0] ?? '',
  };
}

/** Whether members log in for this client and it has no redirect URI. */
export function hasNoReturn({ roles: held, redirectUris: uris }: ClientFields): boolean {
  return held.includes('member') && uris.length === 0;
}

export const clientIdInput: Input = {
  name: 'client_id',
  required: true,
  quoted: true,
  check: (text, programme) =>
    programme === undefined || programme.clients.isIdentifier(text)
      ? undefined
      : `is no identifier of ${programme.id}: expected ${programme.clients.identifierForm}`,
  flags: '--client-id <id>',
  help: 'an identifier it has already, instead of a new one',
};

/** Of a gateway. */
export const gatewayFields = fieldsOf<Pick<Gateway, 'name'>>()({
  name: nameField('what operators call it'),
});
