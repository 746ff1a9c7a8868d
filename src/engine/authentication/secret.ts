// Owns the proof of clients and gateways by a secret, and of clients by an API key.

import type { Instant } from '../../lib/clock.ts';
import { type Digest, sameDigest } from '../../lib/digest.ts';
import { nearReadings } from '../../oauth/basic.ts';
import type { Client, ClientId, StoredSecret, Gateway, GatewayId } from '../../oauth/client.ts';
import type { ProofFault } from '../../oauth/proofs/proof_faults.ts';
import type {
  LoneSecret,
  SecretCredentials,
} from '../../programme/requests/presented_credentials.ts';
import { endedSecret, wrongSecret } from '../causes/client.ts';
import type { Service } from '../service.ts';
import type { Proof } from './proof.ts';

/** Compared with the secret of an unknown client; no text has this digest. */
const unmatchableSecrets: readonly StoredSecret[] = [
  { digest: 'A'.repeat(43) as Digest, createdAt: 0 as Instant },
];

/**
 * The live secret of the client that the credentials hold. Unknown client, disabled client and wrong
 * secret cost the same (HOSTILE 40): the digest is made and compared in each case. It is skipped for a
 * remembered header alone, which its sender knows to be right.
 */
export function proveSecret(
  service: Service,
  credentials: SecretCredentials | LoneSecret,
  client: Client | undefined,
  now: Instant,
): Proof {
  const isActive = client?.status === 'active';
  const header = credentials.kind === 'secret' ? credentials.header : undefined;
  const known = isActive ? provenSecret(header, client.secrets, now) : undefined;
  if (known !== undefined) return known;
  const texts = credentials.secrets();
  const secrets = client?.secrets ?? unmatchableSecrets;
  const { live, ended } = firstMatch(service, texts, secrets, now);
  if (isActive && live !== undefined) {
    remember(service, header, client.id, live);
    return live;
  }
  forget(service, header);
  const wrong = wrongSecret(secrets, texts, now, nearMatch(service, texts, secrets, now));
  return { cause: ended === undefined ? wrong : endedSecret(ended) };
}

/**
 * The client that has the secret, by its keyed digest, as API keys are found. A secret that two clients
 * have live stands for neither. Of clients whose secret has ended, any, for the cause.
 */
export async function findHolder(
  { keyring, programme, store }: Service,
  { secrets }: LoneSecret,
  now: Instant,
): Promise<Client | undefined> {
  const digests = secrets().map((text) => keyring.secretDigest(text));
  const found = await Promise.all(
    digests.map((one) => store.findBy('client', 'secret', programme.id, one)),
  );
  const holders = found.flat();
  const live = holders.filter(
    (client) =>
      client.status === 'active' && digests.some((one) => liveMatch(one, client.secrets, now)),
  );
  return live.length > 1 ? undefined : (live[0] ?? holders[0]);
}

/** Whether the credentials hold a live secret of a gateway that is active and that they name. */
export function holdsSecret(
  service: Service,
  credentials: SecretCredentials,
  { id, secrets }: Pick<Gateway, 'id' | 'secrets'>,
  now: Instant,
): boolean {
  const secret =
    provenSecret(credentials.header, secrets, now) ??
    firstMatch(service, credentials.secrets(), secrets, now).live;
  if (secret !== undefined) remember(service, credentials.header, id, secret);
  return secret !== undefined;
}

/**
 * Takes the record's identifier. The credentials' equal one is a slice of the decoded header: it
 * would keep the whole text in memory, with the secret.
 */
function remember(
  { provenHeaders }: Service,
  header: SecretCredentials['header'],
  id: ClientId | GatewayId,
  { digest: proven }: Pick<StoredSecret, 'digest'>,
): void {
  if (header === undefined || header.proven === proven) return;
  provenHeaders.remember(header.fingerprint, { id, digest: proven });
}

function forget({ provenHeaders }: Service, header: SecretCredentials['header']): void {
  if (header?.proven !== undefined) provenHeaders.forget(header.fingerprint);
}

/** Whether a digest is that of one of the client's live keys; records its use. */
export function isLiveKey(
  { programme, store }: Service,
  client: Client,
  presented: Digest,
  keys: readonly StoredSecret[],
  now: Instant,
): boolean {
  const key = liveMatch(presented, keys, now);
  if (key !== undefined) store.recordSecretUse(programme.id, client.id, key.digest, now);
  return key !== undefined;
}

/** The live secret that a header proved before; undefined for any other header. */
function provenSecret(
  header: SecretCredentials['header'],
  secrets: readonly StoredSecret[],
  now: Instant,
): StoredSecret | undefined {
  return header?.proven === undefined ? undefined : liveMatch(header.proven, secrets, now);
}

interface Match {
  readonly live?: StoredSecret;
  /** Matched as well, but has ended. */
  readonly ended?: StoredSecret | undefined;
}

/** The live secret that a reading of the credentials matches, the first reading first. */
function firstMatch(
  { keyring }: Service,
  texts: readonly string[],
  secrets: readonly StoredSecret[],
  now: Instant,
): Match {
  let ended: StoredSecret | undefined;
  for (const text of texts) {
    const digested = keyring.secretDigest(text);
    const live = liveMatch(digested, secrets, now);
    if (live !== undefined) return { live };
    ended ??= liveMatch(digested, secrets, 0 as Instant);
  }
  return { ended };
}

/**
 * The fault with which a live secret was sent. What is tried depends on the sent text alone: known and
 * unknown clients cost the same (HOSTILE 40), and a usual text costs no further digest.
 */
function nearMatch(
  { keyring }: Service,
  [text = '']: readonly string[],
  secrets: readonly StoredSecret[],
  now: Instant,
): ProofFault | undefined {
  let found: ProofFault | undefined;
  for (const [fault, near] of nearReadings(text)) {
    if (liveMatch(keyring.secretDigest(near), secrets, now) !== undefined) found = fault;
  }
  return found;
}

/** The live secret of a digest; takes as long whichever matches. */
export function liveMatch(
  presented: Digest,
  secrets: readonly StoredSecret[],
  now: Instant,
): StoredSecret | undefined {
  let match: StoredSecret | undefined;
  for (const secret of secrets) {
    const isLive = secret.expiresAt === undefined || now < secret.expiresAt;
    if (sameDigest(secret.digest, presented) && isLive) match = secret;
  }
  return match;
}
