// Owns what is asked of a token's login beside the token: the membership number of its member.

import { BoundedMap } from '../lib/bounded_map.ts';
import type { FamilyId, TokenFamily } from '../oauth/grant.ts';
import type { Programme } from '../programme/programme.ts';
import type { Store } from '../store/contract.ts';

/** What is remembered of logins: who logged in never changes. */
export type FamilyMembers = BoundedMap<FamilyId, TokenFamily['member']>;

const rememberedFamilies = 20_000;

export function newFamilyMembers(): FamilyMembers {
  return new BoundedMap(rememberedFamilies);
}

interface Logins {
  readonly store: Store;
  readonly programme: Programme;
  readonly families: FamilyMembers;
}

/** Undefined for a client's own token, and where the directory told none at the login. */
export async function membershipNumberOf(
  { store, programme, families }: Logins,
  family: FamilyId | undefined,
): Promise<string | undefined> {
  if (family === undefined) return undefined;
  const known = families.get(family);
  if (known !== undefined) return known.membershipNumber;
  const found = await store.findFamily(programme.id, family);
  if (found !== undefined) families.set(family, found.member);
  return found?.member.membershipNumber;
}
