// Owns kept texts in memory.

import type { Instant } from '../../lib/clock.ts';
import type { TextVerbs } from '../grants.ts';
import { floorAfterSetBack, type HeldText, issueOf } from '../kept_texts.ts';
import { type LiveToken, markText, readMark, setBackMark, takeOver } from '../live_tokens.ts';
import type { MemoryRevocations } from './revocations.ts';
import { MemoryTable } from './table.ts';

export interface MemoryTexts extends TextVerbs {
  readonly sweepTexts: (now: Instant, limit: number) => number;
  readonly setBackTexts: (to: Instant, from: Instant) => void;
}

export function memoryTexts(revocations: MemoryRevocations): MemoryTexts {
  const table = new MemoryTable<HeldText>();
  let floor = 0;
  const nameOf = (use: string, key: string): string => `${use} ${key}`;
  const becomeLive = (token: LiveToken, now: Instant): boolean => {
    const { programme, use, key, tokenId } = token;
    const held = table.get(programme, nameOf(use, key));
    const isRevoked = revocations.isRevoked(programme, tokenId);
    const change = takeOver(held && readMark(held), isRevoked, token, now);
    if (change === undefined) return held?.text === tokenId;
    table.set(programme, nameOf(use, key), markText(change.mark));
    if (change.ends) revocations.revokeToken(programme, change.ends, now);
    return true;
  };
  return {
    async keepText(kept, now) {
      if ('tokenId' in kept) return becomeLive(kept, now);
      const { programme, use, key, text, until } = kept;
      const held = use === 'assertion' ? table.get(programme, nameOf(use, key)) : undefined;
      if ((held !== undefined && now < held.until) || issueOf(kept) <= floor) return false;
      table.set(programme, nameOf(use, key), { text, mark: '', until });
      return true;
    },
    async findKept(programme, use, key, now) {
      const held = table.get(programme, nameOf(use, key));
      return held !== undefined && now < held.until ? held : undefined;
    },
    sweepTexts: (now, limit) =>
      table.sweep(
        limit,
        ({ until }) => now >= until,
        ({ until, mark }) => mark !== '' && revocations.forget(until),
      ),
    setBackTexts: (to, from) => {
      floor = Math.max(floor, floorAfterSetBack(to, from).upTo);
      for (const held of table.filter(({ mark }) => mark !== '')) {
        Object.assign(held, setBackMark(held, to));
      }
    },
  };
}
