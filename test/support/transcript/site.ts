// Owns the servers that a transcript is played against: one, or several over one store file, and their restart.

import type { TestContext } from 'node:test';

import { present } from '../../../src/lib/present.ts';
import type { Environment } from '../../../src/store/contract.ts';
import { openFileStore } from '../../../src/store/sqlite/store.ts';
import { scratchFile } from '../../store/file_directory.ts';
import { testClock } from '../clock.ts';
import { type FailingStore, failingStore } from '../failing_store.ts';
import { type Jetway, startJetway, withYaml } from '../jetway.ts';
import type { Transcript } from './transcript.ts';

export interface Site {
  /** Those that run now. */
  readonly nodes: readonly Jetway[];
  /** Those that ran before, too, in the order of their start. */
  readonly all: readonly Jetway[];
  readonly stores: readonly FailingStore[];
  /** The one that the next request goes to, in turns. */
  readonly next: () => Jetway;
  /** Ends all and starts as many anew, with YAML laid over the file that they began with. */
  readonly restart: (over: string) => Promise<void>;
}

/** Starts the servers; a store file is there only where more than one process shall find it. */
export async function openSite(
  t: TestContext,
  programme: string,
  yaml: string,
  { settings, exchanges }: Transcript,
  beside: Readonly<Record<string, string>> = {},
): Promise<Site> {
  const { nodes: said = 1, public_url: publicUrl, proxies, environment = 'staging' } = settings;
  const count = Number(said);
  const isKept = exchanges.some(({ changes }) => changes.some(({ whose }) => whose === 'server'));
  const served = {
    environment: environment as Environment,
    ...present({ publicUrl, trustedProxies: proxies?.split(' ') }),
  };
  const { path, remove } = scratchFile();
  const clock = testClock();
  const all: Jetway[] = [];
  const site = { nodes: [] as Jetway[], stores: [] as FailingStore[], turn: 0 };
  const start = async (text: string): Promise<void> => {
    site.stores = Array.from({ length: count }, () =>
      count > 1 || isKept
        ? failingStore(openFileStore({ path, environment: served.environment, now: clock.now() }))
        : failingStore(),
    );
    site.nodes = [];
    for (const { store } of site.stores) {
      const given = {
        programmes: { [programme]: text, ...beside },
        ...served,
        clock,
        store,
      };
      site.nodes.push(await startJetway(t, given));
    }
    all.push(...site.nodes);
  };
  await start(yaml);
  t.after(remove);
  return {
    all,
    get nodes() {
      return site.nodes;
    },
    get stores() {
      return site.stores;
    },
    next: () => {
      const node = site.nodes[site.turn % count];
      site.turn += 1;
      if (node === undefined) throw new Error('no server runs');
      return node;
    },
    restart: async (over) => {
      for (const node of site.nodes) await node.stop();
      await start(over === '' ? yaml : withYaml(yaml, over));
    },
  };
}
