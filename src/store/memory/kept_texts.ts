// Owns kept texts in memory.

import type { Instant } from '../../lib/clock.ts';
import { floorAfterSetBack, issueOf, type KeptText, type KeptTexts } from '../kept_texts.ts';
import { MemoryTable } from './table.ts';

export interface MemoryTexts extends KeptTexts {
  readonly sweepTexts: (now: Instant, limit: number) => number;
  readonly setBackTexts: (to: Instant, from: Instant) => void;
}

export function memoryTexts(): MemoryTexts {
  const table = new MemoryTable<Pick<KeptText, 'text' | 'until'>>();
  let floor = 0;
  const nameOf = (use: string, key: string): string => `${use} ${key}`;
  const put = ({ programme, use, key, text, until }: KeptText): void =>
    table.set(programme, nameOf(use, key), { text, until });
  return {
    async keepOnce(kept, now) {
      const held = table.get(kept.programme, nameOf(kept.use, kept.key));
      if ((held !== undefined && now < held.until) || issueOf(kept) <= floor) return false;
      put(kept);
      return true;
    },
    async keepLast(kept) {
      put(kept);
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
