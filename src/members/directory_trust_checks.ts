// Owns the checks that a hook answers only Jetway, and the parts that all hook checks share.

import { CallFailure, type CallLimits } from '../lib/calls/exchange.ts';
import { type Instant, instant } from '../lib/clock.ts';
import { randomKey } from '../lib/random.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import {
  type HookConnection,
  type HookCredentials,
  openHookConnection,
} from './hook_connection.ts';
import { type HookQuestion, signatureHeaders, verifyQuestion } from './hook_question.ts';

/** A check resolves to a remark, or throws the fault. */
export type NamedCheck = readonly [name: string, check: () => Promise<string | undefined>];

export class CheckFailed extends Error {}

interface TrustedHook {
  readonly programme: ProgrammeId;
  readonly url: string;
  readonly credentials: HookCredentials;
  readonly now: () => Instant;
  readonly limits?: CallLimits;
  readonly connection: HookConnection;
}

const hour = 3_600_000;

/** Checks that wrong, old and missing signatures, and a missing certificate, are refused. */
export function trustChecks(test: TrustedHook): readonly NamedCheck[] {
  const { certificate: ours, key: _, ...others } = test.credentials;
  const { connection, now, programme } = test;
  const { secrets } = others;
  const signed = (name: string, by: readonly string[], hours = 0): NamedCheck => [
    name,
    () => {
      const at = instant(now() + hours * hour);
      return expectRefusal(send(connection, unknownMember(programme), by, at));
    },
  ];
  const bySignature: readonly NamedCheck[] = [
    signed('a wrong signature is refused', [randomKey(32)]),
    signed('a signature an hour old is refused', secrets, -1),
    signed('a signature of an hour to come is refused', secrets, 1),
    signed('a question without signature is refused', []),
    [
      'a signature of another body is refused',
      async () => {
        const { path, body } = unknownMember(programme);
        const headers = signatureHeaders(secrets, unknownMember(programme).body, now());
        return expectRefusal(connection.post({ path, body, headers }));
      },
    ],
  ];
  const byCertificate: NamedCheck = [
    'a connection without our certificate is refused',
    async () => {
      const stripped = openHookConnection(test.url, others, test.limits);
      try {
        return await expectRefusal(send(stripped, unknownMember(programme), secrets, now()), true);
      } finally {
        stripped.close();
      }
    },
  ];
  return [
    ...(secrets.length === 0 ? [] : bySignature),
    ...(ours === undefined ? [] : [byCertificate]),
  ];
}

/** A refusal has a status from 400 to 403; without a certificate, a failed handshake counts too. */
async function expectRefusal(
  sent: Promise<Uint8Array>,
  byHandshake = false,
): Promise<string | undefined> {
  const failure = await sent.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof CallFailure) return error;
      throw error;
    },
  );
  if (failure === undefined) throw new CheckFailed('it was answered: anybody could ask');
  const { status, message } = failure;
  if (status === undefined ? byHandshake : status >= 400 && status <= 403) return message;
  throw new CheckFailed(`${message}; expected 401`);
}

export function memberQuestion(
  programme: ProgrammeId,
  member: { readonly username: string; readonly password: string },
): HookQuestion {
  const by = { clientId: 'directory-test', customerIp: undefined, ipVerified: false };
  return verifyQuestion(programme, { ...member, ...by });
}

export function unknownMember(programme: ProgrammeId): HookQuestion {
  const username = `nobody-${randomKey(9)}`;
  return memberQuestion(programme, { username, password: randomKey(16) });
}

export function send(
  connection: HookConnection,
  { path, body }: HookQuestion,
  secrets: readonly string[],
  at: Instant,
): Promise<Uint8Array> {
  return connection.post({ path, body, headers: signatureHeaders(secrets, body, at) });
}
