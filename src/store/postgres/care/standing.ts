// Owns that there is a store where a command cares for one: it makes none.

import type { Environment } from '../../contract.ts';
import { StoreUnusable } from '../../unusable.ts';
import { expectKnown, findMeta } from '../schema.ts';
import type { Session } from './session.ts';

/** @throws StoreUnusable where there is no store that this Jetway knows */
export async function openStanding(session: Session, environment?: Environment): Promise<void> {
  const meta = await findMeta(session.link, session.name);
  if (meta === undefined) {
    throw new StoreUnusable(
      `there is no store at ${session.name}`,
      'name its schema (?schema=), or start a server, which makes one',
    );
  }
  expectKnown(meta, session.name, environment);
}
