// Owns programmes, the executive club if none is named, served by real processes from one file store, and its clock, which the
// processes follow.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';

import type { Health } from '../../src/http/admin.ts';
import { type Instant, instant } from '../../src/lib/clock.ts';
import { present } from '../../src/lib/present.ts';
import type { Store } from '../../src/store/contract.ts';
import { readPostgresLocation } from '../../src/store/postgres/location.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { openFileStore } from '../../src/store/sqlite/store.ts';
import { configText, jetwayAt, workFolder } from '../cli/command.ts';
import { type ServerOptions, type ServerProcess, startServer } from '../cli/server.ts';
import type { TestClock } from '../support/clock.ts';
import { type Club, programme } from '../support/club.ts';
import {
  type ClientOptions,
  shippedLogos,
  shippedProgramme,
  startJetway,
} from '../support/jetway.ts';
import { eventsNamed, type LogLine } from '../support/log_lines.ts';
import { testServer } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { ask } from '../support/wire.ts';

/** A process, seen as the club it serves; `store` looks into the file that it serves from. */
export interface ServedClub extends Club {
  readonly server: ServerProcess;
}

export interface Site {
  readonly folder: string;
  /** Of the store file. */
  readonly path: string;
  /** The club in this process, over the store that the servers have. */
  readonly club: Club;
  readonly clock: TestClock;
  /** Lets seconds pass for every process at once. */
  readonly pass: (seconds: number) => Promise<void>;
  /** Runs a command that must succeed, at the site's time; what it prints on standard output. */
  readonly run: (...args: readonly string[]) => Promise<string>;
  /** The same with a wall clock that is so many seconds ahead. */
  readonly runAhead: (ahead: number, ...args: readonly string[]) => Promise<string>;
  /** Starts one more process. */
  readonly start: (options?: ServerOptions) => Promise<ServedClub>;
}

export interface SiteOptions {
  /** YAML laid over the shipped programme. */
  readonly over?: string;
  /** Other programmes, by name; the first has the partner and the member. */
  readonly programmes?: Readonly<Record<string, string>>;
  /** What is said of the partner. */
  readonly client?: ClientOptions;
  /** Added to the configuration. */
  readonly more?: string;
  /** Called with the store's folder before anything is in it. */
  readonly prepare?: (folder: string) => void;
  /** Another store than a file: how the configuration names it, and how it is opened. */
  readonly store?: { readonly name: string; readonly open: () => Promise<Store> };
}

/** For tests of load: the shipped club lets a partner have 600 tokens a minute. */
export const unthrottled = 'throttle: { limit: 1000000, window: 1m }';

/** Looks into a store file at which processes are at work: their locks are waited for. */
export function lookInto(path: string): DatabaseSync {
  return new DatabaseSync(path, { timeout: 60_000 });
}

/** The events of a kind that a server has told of so far, in order. */
export function told({ server }: ServedClub, event: string): readonly LogLine[] {
  return eventsNamed(server.printed().stderr, event);
}

/** Waits until a server has told of that many; it looks once a second. */
export function untilTold(club: ServedClub, event: string, count = 1): Promise<void> {
  return until(
    () => told(club, event).length >= count,
    () => `no ${count} of ${event}: ${club.server.printed().stderr}`,
  );
}

/** What `/readyz` answers. */
export async function readiness({ server }: ServedClub): Promise<readonly [number, Health]> {
  const { status, body } = await ask(server.admin, '/readyz');
  return [status, JSON.parse(body) as Health];
}

/** Waits until `/readyz` answers with the status, or until nobody answers; resolves to what it says last. */
export async function untilReadiness(
  club: ServedClub,
  wanted: number | undefined,
): Promise<Health | undefined> {
  let last: Awaited<ReturnType<typeof readiness>> | undefined;
  await until(async () => {
    last = await readiness(club).catch(() => undefined);
    return last?.[0] === wanted;
  }, `/readyz never answered ${wanted}`);
  return last?.[1];
}

/** Sets a server's clock by so many seconds, and has it follow. */
export async function acceptClock(club: ServedClub, seconds: number): Promise<void> {
  const { length } = told(club, 'clock_accepted');
  await club.server.setClock(seconds);
  club.server.child.kill('SIGUSR2');
  await untilTold(club, 'clock_accepted', length + 1);
}

function configWith(store: string | undefined): string {
  if (store === undefined) return configText;
  return `${configText.replace(/^store: .*$/m, `store: ${store}`)}master_key_file: data/master.key\n`;
}

/** Makes a store with a partner and a member in a folder that `jetway serve` can be started in. */
export async function openSite(
  t: TestContext,
  {
    over = '',
    more = 'stop_delay: 0s\n',
    programmes = { [programme]: shippedProgramme(programme, over) },
    client: partner,
    prepare,
    store: named,
  }: SiteOptions = {},
): Promise<Site> {
  const files = Object.entries(programmes).map(([id, text]) => [`programmes/${id}.yaml`, text]);
  const folder = workFolder(t, {
    'config.yaml': `${configWith(named?.name)}admin: 127.0.0.1:0\n${more}`,
    ...(Object.fromEntries(files) as Readonly<Record<string, string>>),
    ...shippedLogos(),
  });
  const masterKey = new Uint8Array(32).fill(7);
  const path = join(folder, 'data/jetway.db');
  mkdirSync(join(folder, 'data'));
  prepare?.(join(folder, 'data'));
  writeFileSync(join(folder, 'data/master.key'), Buffer.from(masterKey).toString('base64url'), {
    mode: 0o600,
  });
  let shift = 0;
  const clock = {
    now: (): Instant => instant(Date.now() + shift * 1000),
    advance: (seconds: number) => {
      shift += seconds;
    },
  };
  const store = await (named?.open() ?? openFileStore({ path, environment: 'staging' }));
  const jetway = await startJetway(t, { programmes, clock, store, masterKey });
  const client = await jetway.addClient(partner);
  const club: Club = { ...jetway, client, member: await jetway.addMember() };
  const running: ServerProcess[] = [];
  const runAhead: Site['runAhead'] = async (ahead, ...args) => {
    const { code, stdout, stderr } = await jetwayAt(folder, { passed: shift, ahead }, args);
    if (code !== 0) throw new Error(`jetway ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  };
  return {
    folder,
    path,
    club,
    clock,
    pass: async (seconds) => {
      clock.advance(seconds);
      const alive = running.filter(
        ({ child }) => child.exitCode === null && child.signalCode === null,
      );
      await Promise.all(alive.map((server) => server.advance(seconds)));
    },
    run: (...args) => runAhead(0, ...args),
    runAhead,
    start: async (options = {}) => {
      const server = await startServer(t, folder, { passed: shift, ...options });
      // One that does not serve the club would refuse everything that is asked of it.
      const { stderr } = server.printed();
      if (/: error: /.test(stderr)) throw new Error(stderr);
      running.push(server);
      return { ...club, url: server.url, server };
    },
  };
}

/** A site whose store is in PostgreSQL: in a schema of its own, unless it is told where. */
export async function openFleet(
  t: TestContext,
  over = '',
  url?: string,
  more?: string,
): Promise<Site> {
  const server = await testServer();
  const place = url ?? server.url(server.newSchema());
  const location = readPostgresLocation(place, (path) => path);
  const open = () => openPostgresStore({ location, environment: 'staging' });
  return openSite(t, present({ over, more, store: { name: `"${place}"`, open } }));
}
