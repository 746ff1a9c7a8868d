// Owns a partner's own token as tests ask for it: the headers, the answer, the changes of who asks.

import assert from 'node:assert/strict';

import type { Client, ClientId } from '../../src/oauth/client.ts';
import { type Club, jsonHeaders, programme } from './club.ts';
import type { Answer } from './wire.ts';

export const partnerToken = { grant_type: 'client_credentials' };

export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** An answer with what differs from token to token left out. */
export function plain(answer: Answer): Answer {
  return { ...answer, body: answer.body.replace(/"access_token":"[^"]+"/, '"access_token":"…"') };
}

/** What the club's partner gets, as `plain` leaves it. */
export const letIn: Answer = {
  status: 200,
  headers: jsonHeaders,
  body: '{"access_token":"…","scope":"AUTHN-LEVEL-15","token_type":"bearer","expires_in":1800}',
};

export function basic(text: string): Readonly<Record<string, string>> {
  return { authorization: `Basic ${base64(text)}` };
}

/** Changes the registration of the club's partner. */
export async function changeClient(
  club: Club,
  changes: (client: Client) => Partial<Client>,
): Promise<void> {
  const id = club.client.id as ClientId;
  const changed = await club.store.change('client', programme, id, (client) => ({
    ...client,
    ...changes(client),
  }));
  assert.ok(changed);
}
