// Owns how a client is shown: everything but its digests.

import { milliseconds } from '../lib/clock.ts';
import { formatDuration } from '../lib/duration.ts';
import type { Client, StoredSecret } from '../oauth/client.ts';
import { dateText } from './dates.ts';

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
}

export function viewClient(client: Client): ClientView {
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
    secrets: client.secrets.map(viewSecret),
    api_keys: client.apiKeys.map(viewSecret),
    created_at: dateText(client.createdAt),
  };
}

function viewThrottle({ throttle }: Client): ClientView['throttle'] {
  if (throttle === undefined) return null;
  return { limit: throttle.limit, window: formatDuration(milliseconds(throttle.window)) };
}

/** The digest stays where it is: it is worth something to who has the master key as well. */
function viewSecret({ createdAt, expiresAt }: StoredSecret): SecretView {
  return {
    created_at: dateText(createdAt),
    expires_at: expiresAt === undefined ? null : dateText(expiresAt),
  };
}

type SheetRow = readonly [label: string, values: readonly string[]];

/** The same for people. */
export function clientRows(client: Client): readonly SheetRow[] {
  const view = viewClient(client);
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

function secretLine({ created_at, expires_at }: SecretView): string {
  return expires_at === null ? `made ${created_at}` : `made ${created_at}, ends ${expires_at}`;
}
