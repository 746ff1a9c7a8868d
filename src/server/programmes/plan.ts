// Owns the plan of a reload: which version of each programme is served next, and why.

import type { Instant } from '../../lib/clock.ts';
import type { Fault } from '../../lib/fault.ts';
import { pause } from '../../lib/pause.ts';
import { present } from '../../lib/present.ts';
import type { HookCredentials } from '../../members/hook.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import { deploy, type Deployed, type MountConflict } from '../../programme/deployment.ts';
import type { Programme } from '../../programme/programme.ts';
import { compileLoaded } from '../../rules/load.ts';
import type { Store } from '../../store/contract.ts';
import type { Kind } from '../../store/kinds.ts';
import type { Look } from './folder.ts';

/** A programme that can be served. */
export interface Candidate {
  readonly programme: Programme;
  readonly credentials?: HookCredentials | undefined;
  /** The file that it was made of; absent for the programmes of `dev`. */
  readonly look?: Look | undefined;
  /** Since when a server has served it before; left out for a version that is new. */
  readonly since?: Instant;
  /** Whether it signs no tokens any more, but publishes the keys of those that it signed. */
  readonly hasFormerKeys?: boolean;
}

/** What a reload did about one programme. */
export interface ProgrammeOutcome {
  readonly programme: ProgrammeId;
  /**
   * `refused`: its file has faults or wants another's paths; `kept`: its file is gone, and nobody
   * asked for its removal.
   */
  readonly outcome: 'unchanged' | 'added' | 'changed' | 'removed' | 'refused' | 'kept';
  /** Whether a version of it is served after the reload. */
  readonly isServed: boolean;
  /** Faults of its file, warnings included. */
  readonly faults: readonly Fault[];
  /** Why it is refused though its file has no fault. */
  readonly message?: string;
}

export interface Plan {
  readonly deployed: Deployed;
  /** The mounted programmes; those that go on are the very objects of `served`. */
  readonly mounted: ReadonlyMap<ProgrammeId, Candidate>;
  readonly outcomes: readonly ProgrammeOutcome[];
}

type Candidates = ReadonlyMap<ProgrammeId, Candidate>;

/** Compiles what has changed of the files. The served version of a refused programme stays. */
export async function candidatesOf(
  looks: readonly Look[],
  served: Candidates,
  publicUrl: string,
): Promise<Candidates> {
  const candidates = new Map<ProgrammeId, Candidate>();
  for (const look of looks) {
    const { loaded, credentials } = look.file;
    const former = served.get(look.id);
    if (former?.look?.digest === look.digest) candidates.set(look.id, former);
    else if (loaded !== undefined) {
      const programme = compileLoaded(loaded, publicUrl);
      const { since } = look;
      candidates.set(look.id, { programme, credentials, look, ...present({ since }) });
      await pause();
    }
  }
  return candidates;
}

export interface PlanOptions {
  /** The files, also those that are no candidates for their faults. */
  readonly looks?: readonly Look[];
  /** Whether programmes whose file is gone are removed. */
  readonly prune?: boolean;
}

/**
 * Plans which candidates are mounted. No served programme loses its place: a changed or new one that
 * cannot be mounted beside those that are served is refused, and its served version goes on.
 */
export async function planServing(
  candidates: Candidates,
  served: Candidates,
  store: Store,
  { looks = [], prune = false }: PlanOptions = {},
): Promise<Plan> {
  const files = new Map(looks.map((look) => [look.id, look]));
  const isGone = (id: ProgrammeId): boolean => !candidates.has(id) && !files.has(id);
  const next = new Map<ProgrammeId, Candidate>(served);
  if (prune) for (const id of served.keys()) if (isGone(id)) next.delete(id);
  for (const [id, one] of candidates) {
    if (served.get(id) !== one) next.set(id, await withFormerKeys(one, store));
  }
  await pause();
  const refusals = new Map<ProgrammeId, string>();
  let deployed = deployAll(next, served);
  if (deployed.conflicts.length > 0) {
    await putUsedFirst(next, served, store);
    deployed = deployAll(next, served);
    while (giveWay(deployed.conflicts, next, served, refusals)) deployed = deployAll(next, served);
  }
  await pause();
  const places = new Set(deployed.mounted);
  const mounted = new Map([...next].filter(([, { programme }]) => places.has(programme)));
  const told = new Set([...files.keys(), ...candidates.keys(), ...served.keys()]);
  const outcomes = [...told].toSorted().map((programme): ProgrammeOutcome => {
    const faults = files.get(programme)?.file.faults ?? [];
    const message = refusals.get(programme);
    const [before, after] = [served.get(programme), next.get(programme)];
    const outcome = (): ProgrammeOutcome['outcome'] => {
      if (message !== undefined) return 'refused';
      if (isGone(programme)) return prune ? 'removed' : 'kept';
      if (!candidates.has(programme)) return 'refused';
      if (before === after) return 'unchanged';
      return before === undefined ? 'added' : 'changed';
    };
    const isServed = mounted.has(programme);
    return { programme, outcome: outcome(), isServed, faults, ...present({ message }) };
  });
  return { deployed, mounted, outcomes };
}

/** Those that go on come first: a new file takes no path from them. */
function deployAll(next: Candidates, served: Candidates): Deployed {
  const isFresh = ([id, one]: [ProgrammeId, Candidate]): boolean => served.get(id) !== one;
  const entries = [...next];
  const standing = entries.filter((one) => !isFresh(one));
  const all = [...standing, ...entries.filter(isFresh)].map(([, one]) => one);
  const former = all
    .filter(({ hasFormerKeys }) => hasFormerKeys)
    .map(({ programme }) => programme.id);
  return deploy(
    all.map(({ programme }) => programme),
    new Set(former),
  );
}

/** Tokens of programmes that no longer sign any are verified until they expire. */
async function withFormerKeys(candidate: Candidate, store: Store): Promise<Candidate> {
  const { id, signsTokens } = candidate.programme;
  if (signsTokens) return candidate;
  const hasFormerKeys =
    (await has('signing_key', id, store)) || (await has('identity_key', id, store));
  return hasFormerKeys ? { ...candidate, hasFormerKeys } : candidate;
}

/** Of new programmes those with clients first: an unused copy must not take the original's path. */
async function putUsedFirst(
  next: Map<ProgrammeId, Candidate>,
  served: Candidates,
  store: Store,
): Promise<void> {
  const fresh = [...next].filter(([id, one]) => served.get(id) !== one);
  const used = await Promise.all(fresh.map(([id]) => has('client', id, store)));
  for (const [id] of fresh) next.delete(id);
  for (const isUsed of [true, false]) {
    for (const [index, [id, one]] of fresh.entries()) if (used[index] === isUsed) next.set(id, one);
  }
}

async function has(kind: Kind, programme: ProgrammeId, store: Store): Promise<boolean> {
  let damaged = 0;
  const found = await store.list(kind, programme, { limit: 1, onDamage: () => (damaged += 1) });
  return found.length + damaged > 0;
}

/** Takes back what cannot be mounted; false where all of `next` is, or nothing can be taken back. */
function giveWay(
  conflicts: readonly MountConflict[],
  next: Map<ProgrammeId, Candidate>,
  served: Candidates,
  refusals: Map<ProgrammeId, string>,
): boolean {
  const isFresh = (id: ProgrammeId): boolean => next.get(id) !== served.get(id);
  const takeBack = (id: ProgrammeId, message: string): void => {
    const before = served.get(id);
    next.delete(id);
    if (before !== undefined) next.set(id, before);
    refusals.set(id, message);
  };
  const fresh = conflicts.filter(({ programme }) => isFresh(programme.id));
  for (const { programme, message } of fresh) takeBack(programme.id, message);
  if (fresh.length > 0) return true;
  // The default of a shared path is to leave it: the others could not be told apart any more.
  const before = conflicts.flatMap(({ path, message }) =>
    [...served].flatMap(([id, { programme }]) =>
      isFresh(id) && programme.selectors.has(path) ? [{ id, message }] : [],
    ),
  );
  for (const { id, message } of before) takeBack(id, message);
  return before.length > 0;
}
