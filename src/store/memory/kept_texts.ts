// Owns kept texts in memory.

import type { Instant } from '../../lib/clock.ts';
import type { TextVerbs } from '../grants.ts';
import { floorAfterSetBack, issueOf, type KeptText } from '../kept_texts.ts';
import { markText, readMark, takeOver } from '../live_tokens.ts';
import type { MemoryRevocations } from './revocations.ts';
import { MemoryTable } from './table.ts';

export interface MemoryTexts extends TextVerbs {
  readonly sweepTexts: (now: Instant, limit: number) => number;
  readonly setBackTexts: (to: Instant, from: Instant) => void;
}

export function memoryTexts(revocations: MemoryRevocations): MemoryTexts {
  const table = new MemoryTable<Pick<KeptText, 'text' | 'until'> & { readonly mark?: string }>();
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
    async makeLive(token, now) {
      const { programme, owner } = token;
      const held = table.get(programme, nameOf('live_token', owner));
      const isRevoked = revocations.isRevoked(programme, token.tokenId);
      const change = takeOver(held && readMark({ mark: '', ...held }), isRevoked, token, now);
      if (change === undefined) return;
      table.set(programme, nameOf('live_token', owner), markText(change.mark));
      if (change.ends) revocations.revokeToken(programme, change.ends, now);
    },
    async findLive(programme, owner, now) {
      const held = table.get(programme, nameOf('live_token', owner));
      return held !== undefined && now < held.until ? readMark({ mark: '', ...held }) : undefined;
    },
    sweepTexts: (now, limit) => table.sweep(limit, ({ until }) => now >= until),
    setBackTexts: (to, from) => {
      floor = Math.max(floor, floorAfterSetBack(to, from).upTo);
    },
  };
}
