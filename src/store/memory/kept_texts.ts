// Owns kept texts in memory.

import type { Instant } from '../../lib/clock.ts';
import type { Grants } from '../grants.ts';
import { floorAfterSetBack, issueOf, type KeptText } from '../kept_texts.ts';
import { MemoryTable } from './table.ts';

export interface MemoryTexts extends Pick<Grants, 'keepText' | 'findKept'> {
  readonly sweepTexts: (now: Instant, limit: number) => number;
  readonly setBackTexts: (to: Instant, from: Instant) => void;
}

export function memoryTexts(): MemoryTexts {
  const table = new MemoryTable<Pick<KeptText, 'text' | 'until'>>();
  let floor = 0;
  const nameOf = (use: string, key: string): string => `${use} ${key}`;
  return {
    async keepText(kept, now) {
      const { programme, use, key, text, until } = kept;
      const held = use === 'assertion' ? table.get(programme, nameOf(use, key)) : undefined;
      if ((held !== undefined && now < held.until) || issueOf(kept) <= floor) return false;
      table.set(programme, nameOf(use, key), { text, until });
      return true;
    },
    async findKept(programme, use, key, now) {
      const held = table.get(programme, nameOf(use, key));
      return held !== undefined && now < held.until ? held.text : undefined;
    },
    sweepTexts: (now, limit) => table.sweep(limit, ({ until }) => now >= until),
    setBackTexts: (to, from) => {
      floor = Math.max(floor, floorAfterSetBack(to, from).upTo);
    },
  };
}
