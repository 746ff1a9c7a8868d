// Owns `npm run campaign:timing`: whether the time of an answer tells what its words do not, of members
// in either kind of directory (HOSTILE 17) and of clients (HOSTILE 40).

import { spawn } from 'node:child_process';
import { randomInt, scryptSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { OpenLogin } from '../test/support/login.ts';
import { isPositive, isWhole, runCampaign } from './campaign.ts';
import { median, tableOf } from './figures.ts';
import { openSender, type Sender } from './load/connection.ts';
import { attempt, namesOf, openPage, password } from './load/login.ts';
import { basic, client, type RawRequest, tokenRequest } from './load/requests.ts';
import { jetwayCommand, startServer } from './load/server.ts';
import { disabledClient, layOut, openClub } from './load/site.ts';
import { freePort } from './postgres/cluster.ts';

/** An answer to a client takes a hundredth of one to a member, and its median needs more samples. */
const clientSamples = 10;
/** Accounts that are locked: tries at them change nothing. */
const lockedNames = 4;
/** Failures that lock a username: five that may be tried, and the one after. */
const lockingFailures = 6;

interface Options {
  readonly count: number;
  /** Share of the first kind's median that another may differ by. */
  readonly limit: number;
  readonly rounds: number;
}

/** One kind of request among those that must be answered alike. */
interface Kind {
  readonly name: string;
  /** The request with that number, and what its answer is when all that may differ is masked. */
  readonly request: (index: number) => {
    readonly text: RawRequest;
    readonly mask: (body: string) => string;
  };
}

/** Kinds that are told the same; the first is what the others are held against. */
interface Comparison {
  readonly name: string;
  readonly kinds: readonly Kind[];
  /** Samples of each kind in a round. */
  readonly count: number;
}

/** Of one kind; its name is that of the comparison, too. */
interface Row {
  readonly name: string;
  readonly samples: number;
  /** The median, in milliseconds. */
  readonly time: number;
  /** Of the median of the first kind. */
  readonly ratio: number;
}

/**
 * Takes rounds until every median is within the limit of the first kind's, or as many as there may be:
 * what disturbs a machine for a while is outvoted by what is measured later, a real difference stays.
 * The kinds are asked in turn, one request at a time.
 */
async function compare(
  sender: Sender,
  { name, kinds, count }: Comparison,
  { limit, rounds }: Pick<Options, 'limit' | 'rounds'>,
): Promise<readonly Row[]> {
  const all = kinds.map((kind) => ({ ...kind, spent: [] as number[] }));
  let rows: readonly Row[] = [];
  let expected: string | undefined;
  for (let index = 0; index < count * rounds; index += 1) {
    // In another order each time, so that none of them always comes after the same.
    for (const kind of shuffled(all)) {
      const { text, mask } = kind.request(index);
      const { spent, status, body } = await sender.send(text);
      kind.spent.push(spent);
      const masked = mask(`${status} ${body}`);
      expected ??= masked;
      if (masked !== expected) {
        throw new Error(`${name}: ${kind.name} is answered ${masked}\n\nand not ${expected}`);
      }
    }
    if ((index + 1) % count > 0) continue;
    const usual = median(all[0]?.spent ?? []);
    rows = all.map((kind) => ({
      name: `${name}: ${kind.name}`,
      samples: kind.spent.length,
      time: median(kind.spent),
      ratio: median(kind.spent) / usual,
    }));
    if (rows.every((row) => isWithin(row, limit))) break;
  }
  return rows;
}

function isWithin({ ratio }: Row, limit: number): boolean {
  return Math.abs(ratio - 1) <= limit;
}

function shuffled<Of>(all: readonly Of[]): readonly Of[] {
  const left = [...all];
  return all.flatMap(() => left.splice(randomInt(left.length), 1));
}

/** Starts the reference server of docs/ with the members of the site; how a programme names it. */
async function startHook(folder: string, members: number): Promise<string> {
  const hashed = `0a0b:${scryptSync(password, Buffer.from('0a0b', 'hex'), 32).toString('hex')}`;
  const known = (['known', 'disabled', 'locked'] as const).flatMap((kind) =>
    namesOf(kind, members).map((username) => {
      const subject = `subject-of-${username}`;
      return { username, password: hashed, subject, active: kind !== 'disabled' };
    }),
  );
  const [secretFile, membersFile] = [join(folder, 'hook.secret'), join(folder, 'members.json')];
  writeFileSync(secretFile, 'a-secret-of-the-hook-0123456789abcdef', { mode: 0o600 });
  writeFileSync(membersFile, JSON.stringify(known));
  const port = await freePort();
  const program = join(import.meta.dirname, '../docs/member-directory-server.mjs');
  const env = { SECRET_FILES: secretFile, MEMBERS: membersFile, PORT: String(port) };
  const child = spawn(process.execPath, [program], { env, stdio: 'inherit' });
  child.unref();
  process.once('exit', () => child.kill());
  return `members: { directory: http, url: "http://127.0.0.1:${port}", secret_file: ${secretFile} }`;
}

/** An answer's body without the form's tokens and the repeated username. */
function masked({ hidden }: OpenLogin, body: string, username: string): string {
  return Object.values(hidden)
    .reduce((text, value) => text.replaceAll(value, 'HIDDEN'), body)
    .replace(`value="${username}"`, 'value="USERNAME"');
}

/**
 * People with their own names; a name is tried once, so that none gets locked. Malformed names are
 * left out: everybody knows that nobody has them.
 */
function loginComparison(page: OpenLogin, where: string, { count, rounds }: Options): Comparison {
  const kind = (name: string, names: readonly string[], typed: string): Kind => ({
    name,
    request: (index) => {
      const username = names[index % names.length] ?? '';
      const text = attempt(page, username, typed);
      return { text, mask: (body) => masked(page, body, username) };
    },
  });
  const all = count * rounds;
  return {
    name: `login, ${where}`,
    count,
    kinds: [
      kind('wrong password', namesOf('known', all), 'not the password'),
      kind('unknown username', namesOf('other', all), password),
      kind('disabled member', namesOf('disabled', all), password),
      kind('locked account', namesOf('locked', lockedNames), password),
    ],
  };
}

function clientComparison({ count }: Options): Comparison {
  const kind = (name: string, id: string, secret: string): Kind => {
    const text = tokenRequest('/store/api/grant', basic(id, secret));
    return { name, request: () => ({ text, mask: (body) => body }) };
  };
  return {
    name: 'client authentication',
    count: count * clientSamples,
    kinds: [
      kind('wrong secret', client.id, 'x'.repeat(client.secret.length)),
      kind('unknown client', 'partnerapi-12347', client.secret),
      kind('disabled client', disabledClient, client.secret),
    ],
  };
}

async function compareAll(port: number, options: Options): Promise<readonly Row[]> {
  const sender = await openSender(port);
  const rows: Row[] = [];
  try {
    for (const [programme, where] of [
      ['store', 'own members'],
      ['hook', "a hook's members"],
    ] as const) {
      const page = await openPage(port, programme);
      for (const name of namesOf('locked', lockedNames)) {
        for (let failure = 0; failure < lockingFailures; failure += 1) {
          await sender.send(attempt(page, name, 'not the password'));
        }
      }
      rows.push(...(await compare(sender, loginComparison(page, where, options), options)));
    }
    const comparison = clientComparison(options);
    // Until its code is compiled, the first kinds to be measured are the slow ones.
    await compare(sender, comparison, { limit: 1, rounds: 1 });
    return [...rows, ...(await compare(sender, comparison, options))];
  } finally {
    sender.close();
  }
}

function cellsOf({ name, samples, time, ratio }: Row): readonly string[] {
  const difference = `${ratio < 1 ? '' : '+'}${((ratio - 1) * 100).toFixed(1)} %`;
  return [name, `${time.toFixed(3)} ms`, difference, `of ${samples}`];
}

await runCampaign(
  {
    command: 'campaign:timing',
    options: {
      count: ['N', 'samples of each kind in a round', 200, isWhole],
      limit: ['P', 'percent that a median may differ by', 5, isPositive],
      rounds: ['N', 'rounds at most; more than one only where a median is off', 5, isWhole],
    },
    fails: 'when a median is still off after the last round, or an answer differs in a byte',
  },
  async ({ count, limit, rounds }, { folder }) => {
    const options = { count, rounds, limit: limit / 100 };
    const members = count * rounds;
    const directory = await startHook(folder, members);
    const site = await layOut(folder, {
      programmes: { store: openClub('store'), hook: openClub('hook', directory) },
      owners: ['store'],
      members,
    });
    const server = await startServer(jetwayCommand(), site);
    try {
      const rows = await compareAll(server.port, options);
      const off = rows.filter((row) => !isWithin(row, options.limit));
      return {
        text: tableOf(rows.map(cellsOf), 3),
        faults: [],
        late: off.map((row) => cellsOf(row).join(' ')),
      };
    } finally {
      await server.stop();
    }
  },
);
