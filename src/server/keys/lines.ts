// Owns the keys of programmes by line, and what operators are shown of them.

import type { Instant } from '../../lib/clock.ts';
import { dateOrNull, dateText } from '../../lib/duration.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { SigningAlgorithm } from '../../oauth/signing_key.ts';
import type { Programme } from '../../programme/programme.ts';
import type { ServedFacts } from '../../store/node_leases.ts';
import type { Registry } from '../../store/registry.ts';
import { refuseDamage, type OnDamage } from '../../store/unusable.ts';
import { keyStates, type KeyState } from '../../token/key_line.ts';
import {
  identityKeyRules,
  type KeyKind,
  type KeyRules,
  signingKeyRules,
  tokenKeyRules,
} from '../../token/key_rules.ts';

export const shownKinds = ['signing', 'identity', 'token'] as const;
export type ShownKind = (typeof shownKinds)[number];

/** The keys of one kind of a programme, whether it has any or not. */
export interface KeyLine {
  readonly id: ProgrammeId;
  readonly rules: KeyRules;
}

/** The keys of a programme, of one kind or of all. */
export function keyLines(programme: Programme, kind?: ShownKind): readonly KeyLine[] {
  return [signingKeyRules(programme), identityKeyRules(programme), tokenKeyRules(programme)]
    .filter((rules) => kind === undefined || shownKind(rules) === kind)
    .map((rules) => ({ id: programme.id, rules }));
}

const shownNames: Readonly<Record<KeyKind, ShownKind>> = {
  signing_key: 'signing',
  identity_key: 'identity',
  token_key: 'token',
};

export function shownKind({ kind }: Pick<KeyRules, 'kind'>): ShownKind {
  return shownNames[kind];
}

/** The algorithm of a server's JWTs by keys of a kind; undefined where it signs nothing by them. */
export function signedWith(
  served: ServedFacts | undefined,
  kind: KeyKind,
): SigningAlgorithm | undefined {
  return kind === 'identity_key' ? served?.signsIdentity : served?.signs;
}

/** Whether the programme makes tokens with these keys, not only verifies some of former times. */
export function isInUse({ rules }: KeyLine): boolean {
  return rules.kind === 'token_key' || rules.algorithm !== undefined;
}

/** Whether a first key can be published before the file says that identity tokens have keys of their own. */
export function awaitsKeys({ rules }: KeyLine): boolean {
  return rules.kind === 'identity_key' && rules.longestToken > 0;
}

/** A key with what it is used for. */
export interface ListedKey {
  readonly kind: ShownKind;
  readonly state: KeyState;
}

/** Of each line the keys, oldest first. */
export async function listedKeys(
  store: Registry,
  lines: readonly KeyLine[],
  now: Instant,
  onDamage: OnDamage = refuseDamage,
): Promise<readonly ListedKey[]> {
  const lists = lines.map(async ({ id, rules }) =>
    keyStates(await store.list(rules.kind, id, { onDamage }), rules, now).map((state) => ({
      kind: shownKind(rules),
      state,
    })),
  );
  return (await Promise.all(lists)).flat();
}

export type KeyView = ReturnType<typeof viewOf>;

export function viewKey(listed: ListedKey): KeyView {
  return viewOf(listed);
}

/** Its type is the view's. */
function viewOf({ kind, state: { key, status, retiresAt } }: ListedKey) {
  return {
    programme: key.programme,
    kind,
    kid: key.kid,
    algorithm: key.algorithm ?? null,
    status: status === 'retiring' && 'ended' in key ? 'ended' : status,
    created_at: dateText(key.createdAt),
    signs_from: dateOrNull(key.signsFrom),
    retires_at: dateOrNull(retiresAt),
  };
}
