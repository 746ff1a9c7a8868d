// Owns what a new client is handed over as: the one time that its secret and API key are shown.

import type { Instant } from '../../lib/clock.ts';
import type { Digest } from '../../lib/digest.ts';
import type { Client } from '../../oauth/client.ts';
import type { Environment } from '../../store/contract.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { OutputLost, type OutputOptions, print, printJson } from '../output.ts';
import { sheet } from '../table.ts';
import { clientRows, viewClient } from './client_view.ts';

/** An API key as it is handed over: itself, or where it is another client's, whose it is. */
export type ShownKey = { readonly text: string } | { readonly of: string };

/** A client with what the store keeps no copy of. */
export interface Onboarding {
  readonly client: Client;
  readonly secret: string;
  readonly key: { readonly shown: ShownKey };
  /** What the partner sends as programme-identifier. */
  readonly identifier: string;
  readonly environment: Environment;
}

/** Prints the sheet, or its JSON; a client whose secret nobody has seen is an error to be told. */
export async function deliver(
  onboarding: Onboarding,
  { json = false }: OutputOptions,
): Promise<void> {
  try {
    if (json) await printJson(jsonOf(onboarding));
    else await print(sheetOf(onboarding));
  } catch (error) {
    if (!(error instanceof OutputLost)) throw error;
    const { id, programme } = onboarding.client;
    throw new CommandError(
      exitCodes.failed,
      `${id} of ${programme} is added, but ${error.message} and its secret is lost: disable it and add another`,
    );
  }
}

const neverUsed: ReadonlyMap<Digest, Instant> = new Map();

function jsonOf({ client, secret, key, identifier, environment }: Onboarding): object {
  const view = viewClient(client, neverUsed);
  const { client_id, programme, secrets: _secrets, api_keys: _keys, ...rest } = view;
  return {
    client_id,
    client_secret: secret,
    ...('text' in key.shown
      ? { api_key: key.shown.text }
      : { api_key: null, api_key_of: key.shown.of }),
    programme,
    programme_identifier: identifier,
    environment,
    ...rest,
  };
}

function sheetOf({ client, secret, key, identifier, environment }: Onboarding): string {
  const shownOnce = [
    ['client identifier', [client.id]],
    ['client secret', [secret]],
    ['API key', ['text' in key.shown ? key.shown.text : `that of ${key.shown.of}`]],
    ['programme identifier', [identifier]],
  ] as const;
  const rows = clientRows(viewClient(client, neverUsed));
  const told = new Set(['client identifier', 'programme', 'status', 'client secrets', 'API keys']);
  return [
    `Client ${client.id} is added to ${client.programme} (${environment}).`,
    'text' in key.shown
      ? 'Its secret and API key are shown this once; no verb can show them again.'
      : 'Its secret is shown this once; no verb can show it again.',
    '',
    sheet([...shownOnce, ...rows.filter(([label]) => !told.has(label))]),
  ].join('\n');
}
