// Owns `npm run campaign:timing`: whether the time of an answer tells what its words do not, of members
// in either kind of directory (HOSTILE 17) and of clients (HOSTILE 40).

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { OpenLogin } from '../test/support/login.ts';
import { isPositive, isWhole, runCampaign } from './campaign.ts';
import { tableOf } from './figures.ts';
import { startChild } from './load/child.ts';
import { openSender } from './load/connection.ts';
import { attempt, namesOf, openPage, password } from './load/login.ts';
import { basic, client, tokenRequest } from './load/requests.ts';
import { jetwayCommand, startServer } from './load/server.ts';
import { disabledClient, layOut, openClub } from './load/site.ts';
import { compare, type Comparison, isWithin, type Kind, type Row } from './timing/compare.ts';
import type { HookCommands } from './timing/hook.ts';

/** An answer to a client takes a hundredth of one to a member, and its median needs more samples. */
const clientSamples = 10;
/** Accounts that are locked: tries at them change nothing. */
const lockedNames = 4;
/** Failures that lock a username: five that may be tried, and the one after. */
const lockingFailures = 6;

interface Options {
  readonly count: number;
  readonly limit: number;
  readonly rounds: number;
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
function loginComparison(
  page: OpenLogin,
  where: string,
  { count, rounds }: Options,
): Comparison & { readonly lock: readonly string[] } {
  const kind = (name: string, names: readonly string[], typed: string): Kind => ({
    name,
    request: (index) => {
      const username = names[index % names.length] ?? '';
      const text = attempt(page, username, typed);
      return { text, mask: (body) => masked(page, body, username) };
    },
  });
  const all = count * rounds;
  const locked = namesOf('locked', lockedNames);
  return {
    name: `login, ${where}`,
    count,
    kinds: [
      kind('wrong password', namesOf('known', all), 'not the password'),
      kind('unknown username', namesOf('other', all), password),
      kind('disabled member', namesOf('disabled', all), password),
      kind('locked account', locked, password),
    ],
    lock: locked.flatMap((name) =>
      Array<string>(lockingFailures).fill(attempt(page, name, 'not the password')),
    ),
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

async function compareAll(
  port: number,
  options: Options,
  progress: (text: string) => void,
): Promise<readonly Row[]> {
  const sender = await openSender(port);
  const rows: Row[] = [];
  const directories = { store: 'own members', hook: "a hook's members" };
  try {
    for (const [programme, where] of Object.entries(directories)) {
      const comparison = loginComparison(await openPage(port, programme), where, options);
      progress(`${comparison.name}\n`);
      for (const text of comparison.lock) await sender.send(text);
      rows.push(...(await compare(sender, comparison, options)));
    }
    const comparison = clientComparison(options);
    progress(`${comparison.name}\n`);
    // Until its code is compiled, the first kinds to be measured are the slow ones.
    await compare(sender, comparison, { limit: 1, rounds: 1 });
    rows.push(...(await compare(sender, comparison, options)));
    return rows;
  } finally {
    sender.close();
  }
}

function cellsOf({ comparison, kind, samples, median, ratio }: Row): readonly string[] {
  const difference = `${ratio < 1 ? '' : '+'}${((ratio - 1) * 100).toFixed(1)} %`;
  return [`${comparison}: ${kind}`, `${median.toFixed(3)} ms`, difference, `of ${samples}`];
}

await runCampaign(
  {
    command: 'campaign:timing',
    numbers: {
      count: ['N', 'samples of each kind in a round', 200, isWhole],
      limit: ['P', 'percent that a median may differ by', 5, isPositive],
      rounds: ['N', 'rounds at most; more than one only where a median is off', 5, isWhole],
    },
    fails: 'when a median is still off after the last round, or an answer differs in a byte',
  },
  async (given, { folder, progress }) => {
    const options = { ...given, limit: given.limit / 100 };
    const members = options.count * options.rounds;
    const secretFile = join(folder, 'hook.secret');
    const secret = 'a-secret-of-the-hook-0123456789abcdef';
    writeFileSync(secretFile, secret, { mode: 0o600 });
    const hook = startChild<HookCommands>(import.meta.resolve('./timing/hook.ts'));
    try {
      const url = await hook.ask('start', { secret, members });
      const directory = `{ directory: http, url: "${url}", secret_file: ${secretFile} }`;
      const site = await layOut(folder, {
        programmes: {
          store: openClub('store'),
          hook: openClub('hook', `members: ${directory}`),
        },
        owners: ['store'],
        members,
      });
      const server = await startServer(jetwayCommand(), site);
      try {
        const rows = await compareAll(server.port, options, progress);
        const off = rows.filter((row) => !isWithin(row, options.limit));
        return {
          figures: { rows },
          text: tableOf(rows.map(cellsOf), 3),
          faults: [],
          late: off.map((row) => cellsOf(row).join(' ')),
        };
      } finally {
        await server.stop();
      }
    } finally {
      await hook.end();
    }
  },
);
