// Owns the closed list of audit events, and the text of one.

import { legibleJson } from '../lib/fault.ts';

/** The kinds of registered things, as the store names them. */
const registered = [
  'client',
  'member',
  'gateway',
  'signing_key',
  'identity_key',
  'token_key',
  'maintenance',
  'audit_stream',
] as const;

/** What happened; docs/reference.md says when each is written. */
export const eventNames = [
  // Of requests.
  'token_issued',
  'token_refused',
  'token_revoked',
  'revocation_refused',
  'login_succeeded',
  'login_failed',
  'login_refused',
  'account_locked',
  'code_issued',
  'login_ended',
  'verification_refused',
  'refusals_left_out',
  // Of commands.
  'command_begun',
  'command_ended',
  ...registered.flatMap((kind) => [
    `${kind}_added` as const,
    `${kind}_changed` as const,
    `${kind}_removed` as const,
  ]),
  'member_unlocked',
  'tokens_revoked',
  // Of servers and their configuration.
  'server_started',
  'server_stopped',
  'reload_asked',
  'clock_accepted',
  'programme_added',
  'programme_changed',
  'programme_removed',
  'programme_refused',
  'setting_changed',
  'setting_refused',
  'setting_needs_restart',
  // Of the stream itself.
  'file_begun',
  'write_cut_off',
  'chain_broken',
  'events_lost',
  'audit_resumed',
] as const;
export type EventName = (typeof eventNames)[number];

/** What is told of an event, by JSON key; what is undefined is left out. Never a secret. */
export type Facts = Readonly<Record<string, unknown>>;

/** The members of an event's JSON object, without braces. */
export function eventText(
  event: EventName,
  facts: Facts,
  time: string = new Date().toISOString(),
): string {
  const head = { time, event };
  // First in the line, and last to be said: no fact takes their place.
  return legibleJson({ ...head, ...facts, ...head }).slice(1, -1);
}
