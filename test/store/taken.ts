// Owns asking whether an identifier is taken.

import type { ProgrammeId } from '../../src/oauth/client.ts';
import type { Store } from '../../src/store/contract.ts';
import type { Id, Kind } from '../../src/store/kinds.ts';
import { DamagedItem } from '../../src/store/unusable.ts';

/** Whether there is an item, damaged or not, or was one whose identifier is never given out again. */
export async function isTaken<K extends Kind>(
  store: Store,
  kind: K,
  programme: ProgrammeId,
  id: Id<K>,
): Promise<boolean> {
  let isGone = false;
  try {
    const found = await store.find(kind, programme, id, () => {
      isGone = true;
    });
    return isGone || found !== undefined;
  } catch (error) {
    if (error instanceof DamagedItem) return true;
    throw error;
  }
}
