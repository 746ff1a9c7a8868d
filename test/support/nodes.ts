// Owns several servers over one store file, as nodes of one service or one node before and after a
// restart.

import type { TestContext } from 'node:test';

import { openFileStore } from '../../src/store/sqlite/store.ts';
import { scratchFile } from '../store/file_directory.ts';
import { testClock } from './clock.ts';
import { type Club, openClub } from './club.ts';
import { shippedProgramme, startJetway } from './jetway.ts';

export interface Nodes {
  /** The first node, with partner and member. */
  readonly club: Club;
  /** Starts a node more; it knows the same partner and member. Its programme may be another version. */
  readonly another: (version?: string) => Promise<Club>;
}

/** One store file, one clock, one master key; YAML in `over` is laid over the shipped programme. */
export async function openNodes(t: TestContext, over = ''): Promise<Nodes> {
  const { path, remove } = scratchFile();
  const clock = testClock();
  const open = () => openFileStore({ path, environment: 'staging', now: clock.now() });
  const club = await openClub(t, { over, clock, store: open() });
  t.after(remove);
  return {
    club,
    another: async (version = over) => {
      const programmes = { 'executive-club': shippedProgramme('executive-club', version) };
      const jetway = await startJetway(t, { programmes, clock, store: open() });
      return { ...jetway, client: club.client, member: club.member };
    },
  };
}

/** The results of the calls that `call` makes, all at once and to each node in turn. */
export function inTurns<T>(
  nodes: readonly Club[],
  count: number,
  call: (node: Club) => Promise<T>,
): Promise<readonly T[]> {
  const calls = Array.from({ length: count }, (_, index) => {
    const node = nodes[index % nodes.length];
    if (node === undefined) throw new Error('no nodes');
    return call(node);
  });
  return Promise.all(calls);
}
