// Owns this server's place among the servers of its store: its node number, what it tells them, and
// where they differ from it.

import { hostname } from 'node:os';

import type { Config } from '../config/config.ts';
import type { Log } from '../engine/service.ts';
import type { Clock } from '../lib/clock.ts';
import { present } from '../lib/present.ts';
import { randomKey } from '../lib/random.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import { Unavailable } from '../oauth/failure.ts';
import type { SigningKind } from '../oauth/signing_key.ts';
import type { Keeping } from '../store/keeping.ts';
import type { LeasedNode, NodeFacts, ServedFacts } from '../store/node_leases.ts';
import { identityKeyRules, signingKeyRules } from '../token/key_rules.ts';
import { guarded } from './guarded_task.ts';
import { signedWith } from './keys/lines.ts';
import type { Candidate } from './programmes/plan.ts';
import { version } from './version.ts';

export interface ServerNode {
  /**
   * This server's number among those of its store; changes only if the server was suspended too long.
   * @throws Unavailable where the store has not confirmed it for so long that it may be another's
   */
  readonly current: () => number;
  /** Renews the number, tells what is served, and reads what others serve; runs every second by itself. */
  readonly renew: () => Promise<void>;
  /**
   * Renews no more. Resolves once the renewal under way has ended: after the store is closed, it would
   * tell the others of this server again.
   */
  readonly end: () => Promise<void>;
  /** What is told of from the next renewal on; nothing is told before. */
  readonly tell: (served: () => ReadonlyMap<ProgrammeId, Candidate>) => void;
  /** The servers of the store, this one included, as of the last renewal. */
  readonly all: () => readonly LeasedNode[];
  /** Another number whenever what the others tell has changed. */
  readonly changes: () => number;
  /** Whether another server of the store signs by the programme's keys of a kind. */
  readonly signsElsewhere: (programme: ProgrammeId, kind: SigningKind) => boolean;
  /** Where others have differed from this server for a second, by their names; for people. */
  readonly differences: () => readonly string[];
}

interface NodeParts {
  readonly store: Keeping;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: Pick<Config, 'publicUrl'>;
}

/** Milliseconds. */
const renewInterval = 1000;
/** Milliseconds: after an answer of the store the number is this server's for a minute at least. */
const trusted = 50_000;

/**
 * Leases a number from the store, and renews it from then on: a store across a network answers only as
 * long as it is renewed. A restarted server is a new holder.
 */
export async function leaseNode({ store, clock, log, config }: NodeParts): Promise<ServerNode> {
  const holder = randomKey(12);
  let served: (() => ReadonlyMap<ProgrammeId, Candidate>) | undefined;
  let all: readonly LeasedNode[] = [];
  let [changes, logged] = [0, ''];
  /** Differences at the last renewal, and those of them that were there at the one before. */
  let seen: readonly string[] = [];
  let standing: readonly string[] = [];
  const isOther = (node: LeasedNode): boolean => node.holder !== holder;
  const others = (): readonly LeasedNode[] => all.filter(isOther);
  const factsNow = (): NodeFacts | undefined => served && factsOf(config, served());
  const differencesNow = (): readonly string[] => {
    const own = factsNow();
    return own === undefined ? [] : others().flatMap(({ facts }) => differencesOf(own, facts));
  };
  const ask = async (): Promise<number> => {
    const asked = performance.now();
    const found = await store.leaseNode(clock.now(), holder, factsNow());
    confirmed = asked;
    return found;
  };
  let confirmed = 0;
  let number = await ask();
  const renew = async (): Promise<void> => {
    number = await ask();
    const before = JSON.stringify(others());
    all = await store.nodes(clock.now());
    if (JSON.stringify(others()) !== before) changes += 1;
    const found = differencesNow();
    // Servers of changed files take them up one after another: for a moment they differ.
    standing = found.filter((one) => seen.includes(one));
    seen = found;
    const detail = standing.join('; ');
    if (detail !== logged) log.error('nodes_differ', { detail: detail || 'they agree again' });
    logged = detail;
  };
  await renew();
  const upkeep = guarded(renew, log);
  const timer = setInterval(() => void upkeep.run(), renewInterval).unref();
  return {
    current: () => {
      if (performance.now() - confirmed < trusted) return number;
      throw new Unavailable('store: the node number may be another server’s by now');
    },
    renew,
    end: async () => {
      clearInterval(timer);
      await upkeep.idle();
    },
    tell: (told) => {
      served = told;
    },
    all: () => all,
    changes: () => changes,
    signsElsewhere: (programme, kind) =>
      others().some(({ facts }) => signedWith(facts.programmes[programme], kind) !== undefined),
    differences: () => standing,
  };
}

function factsOf(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  served: ReadonlyMap<ProgrammeId, Candidate>,
): NodeFacts {
  const programmes = [...served].map(([id, { programme, look }]): [ProgrammeId, ServedFacts] => {
    const { algorithm: signs } = signingKeyRules(programme);
    const { algorithm: signsIdentity } = identityKeyRules(programme);
    return [id, present({ digest: look?.servedDigest ?? '', signs, signsIdentity })];
  });
  return {
    name: `${hostname()}:${process.pid}`,
    version: version(),
    programmes: Object.fromEntries(programmes.toSorted(([one], [other]) => (one < other ? -1 : 1))),
    settings: { public_url: publicUrl },
  };
}

/** Versions may differ: servers are upgraded one after another. */
function differencesOf(own: NodeFacts, other: NodeFacts): readonly string[] {
  const { name } = other;
  const ids = new Set([...Object.keys(own.programmes), ...Object.keys(other.programmes)]);
  const programmes = [...ids].toSorted().flatMap((id) => {
    const [here, there] = [own, other].map((facts) => facts.programmes[id as ProgrammeId]);
    if (here === undefined) return [`${id} is served by ${name}, and not here`];
    if (there === undefined) return [`${id} is not served by ${name}`];
    if (here.digest === there.digest) return [];
    const files = [there, here].map(({ digest }) => digest.slice(0, 12));
    return [`${id} differs: ${name} serves it by file ${files.join(', this server by ')}`];
  });
  const settings = Object.entries(own.settings).flatMap(([key, here]) => {
    const there = other.settings[key];
    if (there === undefined || there === here) return [];
    return [`${key} differs: ${there} at ${name}, ${here} here`];
  });
  return [...settings, ...programmes];
}
