// Owns how a client is shown: everything but its digests.

import { type Instant, milliseconds } from '../../lib/clock.ts';
import type { Digest } from '../../lib/digest.ts';
import { formatDuration } from '../../lib/duration.ts';
import type { Client, StoredSecret } from '../../oauth/client.ts';
import { dateText } from '../table.ts';

/** A client as JSON output has it; what it does not have is null, so that its shape is one. */
export interface ClientView {
  readonly client_id: string;
  readonly programme: string;
  readonly name: string;
  readonly status: Client['status'];
  readonly roles: readonly string[];
  readonly redirect_uris: readonly string[];
  readonly business_context: string | null;
  readonly partner_id: string | null;
  readonly throttle: { readonly limit: number; readonly window: string } | null;
  readonly properties: Readonly<Record<string, string>>;
  readonly secrets: readonly SecretView[];
  readonly api_keys: readonly SecretView[];
  readonly created_at: string;
}

interface SecretView {
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}

/** @param uses when its secrets and API keys were last used, by digest */
export function viewClient(client: Client, uses: ReadonlyMap<Digest, Instant>): ClientView {
  const viewSecrets = (secrets: readonly StoredSecret[]): readonly SecretView[] =>
    secrets
      .toSorted((one, other) => one.createdAt - other.createdAt)
      .map((secret) => viewSecret(secret, uses.get(secret.digest)));
  return {
    client_id: client.id,
    programme: client.programme,
    name: client.name,
    status: client.status,
    roles: client.roles,
    redirect_uris: client.redirectUris,
    business_context: client.businessContext ?? null,
    partner_id: client.partnerId ?? null,
    throttle: viewThrottle(client),
    properties: client.properties,
    secrets: viewSecrets(client.secrets),
    api_keys: viewSecrets(client.apiKeys),
    created_at: dateText(client.createdAt),
  };
}

function viewThrottle({ throttle }: Client): ClientView['throttle'] {
  if (throttle === undefined) return null;
  return { limit: throttle.limit, window: formatDuration(milliseconds(throttle.window)) };
}

/** The digest stays where it is: it is worth something to who has the master key as well. */
function viewSecret({ createdAt, expiresAt }: StoredSecret, usedAt?: Instant): SecretView {
  return {
    created_at: dateText(createdAt),
    expires_at: expiresAt === undefined ? null : dateText(expiresAt),
    last_used_at: usedAt === undefined ? null : dateText(usedAt),
  };
}

type SheetRow = readonly [label: string, values: readonly string[]];

/** The same for people. */
export function clientRows(view: ClientView): readonly SheetRow[] {
  return [
    ['client identifier', [view.client_id]],
    ['programme', [view.programme]],
    ['name', [view.name]],
    ['status', [view.status]],
    ['roles', [view.roles.join(', ') || 'none: every grant is refused']],
    ['redirect URIs', view.redirect_uris],
    ['business context', [view.business_context ?? []].flat()],
    ['partner id', [view.partner_id ?? []].flat()],
    [
      'throttle',
      view.throttle === null ? [] : [`${view.throttle.limit} in ${view.throttle.window}`],
    ],
    ['properties', Object.entries(view.properties).map(([name, value]) => `${name}: ${value}`)],
    ['client secrets', view.secrets.map(secretLine)],
    ['API keys', view.api_keys.map(secretLine)],
    ['created', [view.created_at]],
  ];
}

/** Use is recorded once an hour: what is a little older than it says may still be in use. */
function secretLine({ created_at, expires_at, last_used_at }: SecretView): string {
  const end = expires_at === null ? '' : `, ends ${expires_at}`;
  return `made ${created_at}${end}, ${last_used_at === null ? 'never used' : `last used ${last_used_at}`}`;
}
