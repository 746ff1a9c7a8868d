// Owns a server's memory of its recent refusals: bounded, and shared fairly between those who cause them.

import type { Instant } from '../../lib/clock.ts';
import type { CodeKey } from '../../oauth/grant.ts';
import type { Observer, RequestRecord } from '../../oauth/request_record.ts';
import { readRefusal, type Refusal, refusalText } from './refusal.ts';

/** Some 10 MB when full. */
const usualMost = 10_000;
/** Groups of one programme and reason that strangers' refusals are divided into. */
const strangerGroups = 16;

export interface Remembered {
  readonly refusal: Refusal;
  /** Of a code that its programme does not know. */
  readonly code: CodeKey | undefined;
}

/** The refusals of one origin, the oldest first. */
type Group = Set<string>;

/**
 * Remembers refusals by request id. When it is full, the longest group loses its oldest one: whoever
 * causes a flood of refusals pushes out its own first. A group is a client that has proved itself, or
 * the strangers that claim one identifier, with one programme and reason.
 */
export class RecentRefusals implements Observer {
  readonly #most: number;
  readonly #now: () => Instant;
  readonly #byId = new Map<string, { readonly text: string; readonly code: CodeKey | undefined }>();
  readonly #groups = new Map<string, Group>();
  /** Keys of the groups by their length: the longest is found at once. */
  readonly #byLength: Set<string>[] = [];
  #longest = 0;

  constructor(now: () => Instant, most: number = usualMost) {
    this.#now = now;
    this.#most = most;
  }

  answered(record: RequestRecord): void {
    const { failure } = record;
    if (failure === undefined) return;
    const text = refusalText(record, this.#now());
    if (text === undefined) return;
    if (this.#byId.size >= this.#most) this.#forgetOne();
    const key = groupOf(record);
    const group: Group = this.#groups.get(key) ?? new Set();
    this.#groups.set(key, group);
    this.#byId.set(record.id, { text, code: failure.facts.code });
    group.add(record.id);
    this.#move(key, group.size - 1, group.size);
  }

  find(id: string): Remembered | undefined {
    const found = this.#byId.get(id);
    if (found === undefined) return undefined;
    return { refusal: readRefusal(found.text), code: found.code };
  }

  /** How many are remembered, and the time of the oldest. */
  reach(): { readonly count: number; readonly since: string | undefined } {
    const [oldest] = this.#byId.values();
    return { count: this.#byId.size, since: oldest && readRefusal(oldest.text).time };
  }

  #forgetOne(): void {
    while ((this.#byLength[this.#longest]?.size ?? 0) === 0) this.#longest -= 1;
    const [key = ''] = this.#byLength[this.#longest] ?? [];
    const group = this.#groups.get(key);
    const [oldest] = group ?? [];
    if (group === undefined || oldest === undefined) return;
    group.delete(oldest);
    this.#byId.delete(oldest);
    this.#move(key, group.size + 1, group.size);
    if (group.size === 0) this.#groups.delete(key);
  }

  #move(key: string, from: number, to: number): void {
    this.#byLength[from]?.delete(key);
    if (to === 0) return;
    (this.#byLength[to] ??= new Set()).add(key);
    this.#longest = Math.max(this.#longest, to);
  }
}

function groupOf({ endpoint, failure, client, claimedClient: claimed }: RequestRecord): string {
  const who = client ?? `~${claimed === undefined ? '' : bucketOf(claimed)}`;
  return `${endpoint.programme ?? ''} ${failure?.reason ?? ''} ${who}`;
}

/** Strangers can claim any number of identifiers. */
function bucketOf(text: string): number {
  let sum = 0;
  for (let index = 0; index < text.length; index += 1)
    sum = (sum * 31 + text.charCodeAt(index)) | 0;
  return Math.abs(sum) % strangerGroups;
}
