// Owns the proof of a client by an assertion that its private key has signed (RFC 7523 2.2), and that each
// assertion is good once.

import type { Instant } from '../../lib/clock.ts';
import { digest } from '../../lib/digest.ts';
import type { Cause } from '../../oauth/cause.ts';
import type { Client } from '../../oauth/client.ts';
import type { ClientKey } from '../../oauth/client_certificate.ts';
import type { AssertionTerms } from '../../programme/requests/assertion_terms.ts';
import type { AssertionCredentials } from '../../programme/requests/presented_credentials.ts';
import type { KeptText } from '../../store/kept_texts.ts';
import {
  type Assertion,
  type AssertionUse,
  proveAssertion,
  type ProvenAssertion,
} from '../../token/assertions/assertion.ts';
import { AssertionFault } from '../../token/assertions/claims.ts';
import {
  keylessClient,
  otherSubject,
  replayedAssertion,
  wrongAssertion,
} from '../causes/assertion.ts';
import type { Service } from '../service.ts';
import type { Proof } from './proof.ts';
import { liveMatch } from './secret.ts';

type Proving =
  | { readonly proven: ProvenAssertion; readonly cause?: never }
  | { readonly cause: Cause; readonly proven?: never };

/**
 * What the assertion proves of an active client, or why it is refused. An unknown client costs as much as
 * one with other keys. Rejects with `Unavailable` where the client's key set cannot be fetched.
 */
export async function proveByKeys(
  service: Service,
  assertion: Assertion,
  use: AssertionUse,
  client: Client | undefined,
  now: Instant,
): Promise<Proving> {
  const keys = await keysOf(service, client, assertion.kid);
  const { rules, expectedOf } = termsOf(service);
  const expected = expectedOf(
    client,
    (text, held) => liveMatch(service.keyring.secretDigest(text), held, now) !== undefined,
  );
  try {
    return { proven: await proveAssertion(assertion, keys, rules[use], expected, now) };
  } catch (error) {
    if (!(error instanceof AssertionFault)) throw error;
    const hasKeys = client === undefined || client.assertionKeys !== undefined;
    return { cause: hasKeys ? wrongAssertion(error) : keylessClient };
  }
}

/** A client_assertion is spent by this; the assertion of a grant by the grant. */
export async function proveAssertionOf(
  service: Service,
  { assertion, use }: AssertionCredentials,
  known: Client | undefined,
  now: Instant,
): Promise<Proof> {
  const client = known?.status === 'active' ? known : undefined;
  const { proven, cause } = await proveByKeys(service, assertion, use, client, now);
  if (proven === undefined) return { cause };
  if (client === undefined) return { cause: keylessClient };
  // Whoever signs for many says by the sub alone which client it is, in the assertion of a grant too.
  if (use === 'client' || termsOf(service).isOfOthers) {
    // RFC 7523 3, item 2. Where the file lets it be left out, the issuer, who signed, speaks for itself.
    const isOptional = service.programme.clients.authentication.assertion.sub === 'optional';
    const subject = proven.subject ?? (isOptional ? proven.issuer : undefined);
    if (subject === undefined || !termsOf(service).subjectsOf(client).includes(subject)) {
      return { cause: otherSubject(proven.subject) };
    }
  }
  if (use === 'client') {
    const once = useOf(service, client, proven);
    const isGood = once === undefined || (await spendOnce(service, once, now));
    if (!isGood) return { cause: replayedAssertion };
  }
  const used = usedKey(client, proven);
  return use === 'grant' ? { digest: used, assertion: proven } : { digest: used };
}

/** Under what the use of a client's key is recorded: of a set at an address, under that. */
export function usedKey(
  { assertionKeys: held }: Client,
  { key }: ProvenAssertion,
): ProvenAssertion['key'] {
  return held !== undefined && 'url' in held ? digest(held.url) : key;
}

/** What the store keeps of the use of an assertion; undefined without `jti` (RFC 7523 3, item 7). */
export function useOf(
  { programme }: Service,
  { id: client }: Client,
  { id, since: issuedAt, forgetAt: until }: ProvenAssertion,
): KeptText | undefined {
  if (id === undefined) return undefined;
  // No identifier holds a line break: two clients never have one key.
  const key = digest(`${client}\n${id}`);
  return { programme: programme.id, use: 'assertion', key, text: '', until, issuedAt };
}

/** Whether it is good: for the first time, or again where the file says so and it is not spent (HOSTILE 74). */
export async function spendOnce(service: Service, use: KeptText, now: Instant): Promise<boolean> {
  if (termsOf(service).isRepeatable) return !(await isSpent(service, use, now));
  return service.store.keepText(use, now);
}

/** Whether an assertion was used before. Of several that come at once only `keepText` can tell. */
export async function isSpent(
  { store }: Service,
  { programme, use, key }: KeptText,
  now: Instant,
): Promise<boolean> {
  return (await store.findKept(programme, use, key, now)) !== undefined;
}

function termsOf({ programme }: Service): AssertionTerms {
  if (programme.clients.assertions !== undefined) return programme.clients.assertions;
  throw new Error(`${programme.id} takes no assertions`);
}

function keysOf(
  { fetchedKeys }: Service,
  client: Client | undefined,
  kid: string | undefined,
): readonly ClientKey[] | Promise<readonly ClientKey[]> {
  const held = client?.assertionKeys;
  if (held === undefined || fetchedKeys === undefined) return [];
  return 'url' in held ? fetchedKeys(held.url, kid) : held.keys;
}
