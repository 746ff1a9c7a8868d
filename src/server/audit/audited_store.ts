// Owns a command's store as the audit stream sees it: nothing is changed before the stream is told that
// the command has begun, and each change is told.

import { isDeepStrictEqual } from 'node:util';

import type { EventName, Facts } from '../../audit/event.ts';
import { accountIdentifier, type Identify } from '../../audit/identifiers.ts';
import { instant } from '../../lib/clock.ts';
import { dateText } from '../../lib/duration.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { Store } from '../../store/contract.ts';
import type { TokenOwner } from '../../store/grants.ts';
import { type Item, type Kind, kinds } from '../../store/kinds.ts';
import { DamagedItem } from '../../store/unusable.ts';

type Told = readonly [EventName, Facts];
/** The verbs by which commands change a store. */
type Writing = Pick<Store, 'add' | 'change' | 'changeAll' | 'remove' | 'settleAttempt' | 'revoke'>;

/** Whoever changes the store, as the stream knows it. */
export interface Changer {
  readonly identify: Identify;
  readonly put: (events: readonly Told[]) => unknown;
}

/** @param begin called before each change; may throw, and then nothing is changed */
export function auditedStore(store: Store, begin: () => Changer | undefined): Store {
  const writing = writingVerbs(store, begin);
  return new Proxy(store, {
    get: (target, name) => {
      if (name in writing) return writing[name as keyof Writing];
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

function writingVerbs(store: Store, begin: () => Changer | undefined): Writing {
  return {
    add: async (kind, items, own) => {
      const audit = begin();
      const taken = await store.add(kind, items, own);
      if (taken.length === 0) tell(audit, kind, [], items);
      return taken;
    },
    change: async (kind, programme, id, change, own, endsTokens = false) => {
      const audit = begin();
      let before: typeof after;
      const noting: typeof change = (item) => {
        before = item;
        return change(item);
      };
      const after = await store.change(kind, programme, id, noting, own, endsTokens);
      if (before === undefined || after === undefined) return after;
      tell(audit, kind, [before], [after]);
      const { ownerOf } = kinds[kind];
      if (endsTokens && ownerOf) tellRevoked(audit, programme, ownerOf(id));
      return after;
    },
    changeAll: async (kind, selection, change) => {
      const audit = begin();
      let before: readonly Item<typeof kind>[] = [];
      const after = await store.changeAll(kind, selection, (items) => {
        before = items;
        return change(items);
      });
      tell(audit, kind, before, after);
      return after;
    },
    remove: async (kind, programme, id, now) => {
      const audit = begin();
      const found = await Promise.resolve(store.find(kind, programme, id)).catch(
        (error: unknown) => {
          if (error instanceof DamagedItem) return error;
          throw error;
        },
      );
      const isGone = await store.remove(kind, programme, id, now);
      if (!isGone || found === undefined) return isGone;
      if (!(found instanceof DamagedItem)) tell(audit, kind, [found], []);
      else if (audit) audit.put([[`${kind}_removed`, namesOf(audit, kind, programme, id)]]);
      return isGone;
    },
    settleAttempt: async (programme, account, ...settled) => {
      const audit = begin();
      const wasLocked = await store.settleAttempt(programme, account, ...settled);
      const username = accountIdentifier(account);
      if (wasLocked) audit?.put([['member_unlocked', { programme, username }]]);
      return wasLocked;
    },
    revoke: async (programme, ...what) => {
      const audit = begin();
      await store.revoke(programme, ...what);
      const [owner, now] = what;
      if (now === undefined) tellRevoked(audit, programme, owner);
    },
  };
}

function tellRevoked(audit: Changer | undefined, programme: ProgrammeId, owner: TokenOwner): void {
  const whose =
    'client' in owner
      ? { client: owner.client }
      : { member: audit?.identify('member', owner.subject) };
  audit?.put([['tokens_revoked', { programme, ...whose }]]);
}

function tell<K extends Kind>(
  audit: Changer | undefined,
  kind: K,
  before: readonly Item<K>[],
  after: readonly Item<K>[],
): void {
  if (audit === undefined) return;
  const nameOf = (item: Item<K>): string => `${item.programme} ${kinds[kind].idOf(item)}`;
  const former = new Map(before.map((item) => [nameOf(item), item]));
  const left = new Set(after.map(nameOf));
  const named = (item: Item<K>): Facts => ({
    ...namesOf(audit, kind, item.programme, kinds[kind].idOf(item)),
    ...('username' in item && { username: audit.identify('username', item.username) }),
  });
  const told: readonly Told[] = [
    ...before
      .filter((item) => !left.has(nameOf(item)))
      .map((item): Told => [`${kind}_removed`, named(item)]),
    ...after.flatMap((item): readonly Told[] => {
      const was = former.get(nameOf(item));
      if (was === undefined) return [[`${kind}_added`, { ...named(item), ...shownOf(kind, item) }]];
      const changed = changedFields(was, item);
      if (changed.length === 0) return [];
      return [[`${kind}_changed`, { ...named(item), changed, ...shownOf(kind, item, changed) }]];
    }),
  ];
  audit.put(told);
}

/** What the stream is told of a kind's items. */
interface Audited<K extends Kind> {
  /** The fact that holds an item's identifier. */
  readonly id?: 'member' | 'client' | 'gateway' | 'kid';
  /** The fields whose values are told; of all others it is told that they have changed. */
  readonly shown: readonly (keyof Item<K>)[];
}

const auditedKinds: { readonly [K in Kind]: Audited<K> } = {
  client: {
    id: 'client',
    shown: [
      'name',
      'status',
      'roles',
      'redirectUris',
      'partnerId',
      'businessContext',
      'throttle',
      'certificateSubject',
      'isPublic',
      'origins',
    ],
  },
  member: { id: 'member', shown: ['status'] },
  gateway: { id: 'gateway', shown: ['name', 'status'] },
  signing_key: { id: 'kid', shown: ['algorithm', 'signsFrom', 'retiresAt'] },
  identity_key: { id: 'kid', shown: ['algorithm', 'signsFrom', 'retiresAt'] },
  token_key: { id: 'kid', shown: ['signsFrom', 'retiresAt', 'ended'] },
  maintenance: { shown: ['retryAfter'] },
  audit_stream: { shown: [] },
};

/** By what an item is looked for. Of members the stream holds digests alone. */
function namesOf({ identify }: Changer, kind: Kind, programme: ProgrammeId, id: string): Facts {
  const { id: name } = auditedKinds[kind];
  if (name === undefined) return { programme };
  return { programme, [name]: name === 'member' ? identify(name, id) : id };
}

/** @param changed the JSON names of fields; all if left out */
function shownOf<K extends Kind>(kind: K, item: Item<K>, changed?: readonly string[]): Facts {
  const shown = auditedKinds[kind].shown.map(
    (field) => [jsonName(String(field)), item[field]] as const,
  );
  const told = shown.filter(([name]) => changed === undefined || changed.includes(name));
  return Object.fromEntries(
    told.map(([name, value]) => [name, isTime(name, value) ? dateText(instant(value)) : value]),
  );
}

function isTime(name: string, value: unknown): value is number {
  return typeof value === 'number' && (name.endsWith('_from') || name.endsWith('_at'));
}

function changedFields<K extends Kind>(before: Item<K>, after: Item<K>): readonly string[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof Item<K>>;
  return [...fields]
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => jsonName(String(field)));
}

function jsonName(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
