// Owns what a running server tells of a refusal that it remembers.

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import type { Clock } from '../../lib/clock.ts';
import type { ClientId, ProgrammeId } from '../../oauth/client.ts';
import type { Store } from '../../store/contract.ts';
import type { Look } from '../programmes/folder.ts';
import type { Serving } from '../programmes/serving.ts';
import type { RecentRefusals, Remembered } from '../requests/recent_refusals.ts';
import { type Explanation, explain } from './explain.ts';

export interface WhyAnswer {
  /** Absent where the server does not remember it. */
  readonly refusal?: Explanation;
  readonly remembered: number;
  /** Time of the oldest refusal that is remembered; null for none. */
  readonly since: string | null;
}

interface WhySources {
  readonly refusals: RecentRefusals;
  readonly serving: Serving;
  readonly store: Store;
  readonly clock: Clock;
}

export async function answerWhy(parts: WhySources, query: URLSearchParams): Promise<WhyAnswer> {
  const { refusals, serving } = parts;
  const { count, since = null } = refusals.reach();
  const found = refusals.find(query.get('id') ?? '');
  if (found === undefined) return { remembered: count, since };
  const { programme } = found.refusal;
  const look = serving.served.get((programme ?? '') as ProgrammeId)?.look;
  const notes = [...(await elsewhere(parts, found)), ...changeOf(look)];
  const refusal = explain(found.refusal, look?.file.loaded, notes, look && resolve(look.path));
  return { refusal, remembered: count, since };
}

/** What other programmes know of a client or a code that the programme does not know. */
async function elsewhere(
  { serving, store, clock }: WhySources,
  { refusal, code }: Remembered,
): Promise<readonly string[]> {
  const { client, claimed_client: claimed, programme } = refusal;
  const id = (client === undefined ? claimed : undefined) as ClientId | undefined;
  const notes: string[] = [];
  if (code === undefined && id === undefined) return notes;
  const isKnown = id !== undefined && (await store.find('client', programme as ProgrammeId, id));
  for (const other of serving.served.keys()) {
    if (other === programme) continue;
    if (code !== undefined && (await store.findCode(other, code, clock.now())) !== undefined) {
      notes.push(`the code is one of ${other}`);
    }
    if (id !== undefined && !isKnown && (await store.find('client', other, id)) !== undefined) {
      notes.push(`${other} has a client of this identifier`);
    }
  }
  return notes;
}

/** Lines are told of the version that is served. */
function changeOf(look: Look | undefined): readonly string[] {
  if (look === undefined) return [];
  const { path, fileDigest } = look;
  try {
    if (hash('sha256', readFileSync(path)) === fileDigest) return [];
  } catch {
    return [`${path} cannot be read any more: lines are those of the version that is served`];
  }
  return [`${path} has changed since: lines are those of the version that is served`];
}
