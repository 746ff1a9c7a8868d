// Owns `npm run campaign:logins`: how much longer a token takes while members log in without a pause, whose
// passwords are hashed beside the request thread (FAULTS 22).

import { executableOption, isPositive, isWhole, runCampaign } from './campaign.ts';
import { median, tableOf } from './figures.ts';
import { failuresIn, type StreamOrder, type StreamResult } from './load/generator.ts';
import { attempt, namesOf, openPage, password } from './load/login.ts';
import { jetwayCommand, type Offering, streamsTo, underLoad } from './load/server.ts';
import { layOut, openClub } from './load/site.ts';

/** Logins at once. */
const logins = 20;
/** Token requests a second: far below what a server can answer, as in most services. */
const rate = 250;
const connections = 8;

/** Token requests by themselves, then the same beside logins. */
interface Round {
  readonly alone: readonly StreamResult[];
  readonly beside: readonly StreamResult[];
}

async function measure({ server, offer }: Offering, seconds: number, rounds: number) {
  const { port } = server;
  const tokens = streamsTo(server).token(rate, connections);
  // A login page for each connection: of two attempts on one page at once, one fails.
  const requests = await Promise.all(
    namesOf('known', logins).map(async (name) =>
      attempt(await openPage(port, 'store'), name, password),
    ),
  );
  const flood: StreamOrder = {
    name: 'login',
    port,
    requests,
    takes: 'own',
    connections: logins,
    rate: 0,
    expects: '302',
  };
  await offer([tokens], seconds);
  const taken: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const alone = await offer([tokens], seconds);
    const beside = await offer([tokens, flood], seconds);
    taken.push({ alone: alone.results, beside: beside.results });
  }
  return taken;
}

await runCampaign(
  {
    command: 'campaign:logins',
    numbers: {
      rounds: ['N', 'each with and without logins; medians count', 24, isWhole],
      seconds: ['S', 'length of each half of a round', 2, isPositive],
      ratio: ['N', 'times its usual 99th percentile that a token may take', 2, isPositive],
    },
    texts: { executable: executableOption },
    fails: 'when a request fails, or tokens take longer',
  },
  async ({ rounds: count, seconds, ratio: most, executable }, { folder }) => {
    const programmes = { store: openClub('store') };
    const site = await layOut(folder, { programmes, owners: ['store'], members: logins });
    // On every core: a server that has one alone hashes on it, too.
    const rounds = await underLoad(jetwayCommand(executable), site, (offering) =>
      measure(offering, seconds, count),
    );
    /** A median over the rounds, and over their ratios: other work affects only a few halves of rounds. */
    const figuresOf = (time: 'p50' | 'p99') => {
      const pairs = rounds.map(({ alone, beside }) =>
        [alone, beside].map(([tokens]) => tokens?.served[time] ?? 0),
      );
      return {
        alone: median(pairs.map(([alone = 0]) => alone)),
        beside: median(pairs.map(([, beside = 0]) => beside)),
        ratio: median(pairs.map(([alone = 0, beside = 0]) => beside / alone)),
      };
    };
    const [p50, p99] = [figuresOf('p50'), figuresOf('p99')];
    const perSecond = median(rounds.map(({ beside: [, flood] }) => (flood?.inTime ?? 0) / seconds));
    const rows = [
      ['of a token request', 'alone, ms', 'beside logins, ms', 'times'],
      ...Object.entries({ p50, p99 }).map(([name, row]) => [
        name,
        ...Object.values(row).map((figure) => figure.toFixed(2)),
      ]),
    ];
    const failures = rounds.flatMap(({ alone, beside }) => failuresIn([...alone, ...beside]));
    // A login waits as long as the machine hashes; on a busy one longer than the generator.
    const isLate = (failure: string): boolean => /^login: \d+ without an answer$/.test(failure);
    return {
      figures: { p50, p99, perSecond },
      text: `${tableOf(rows, 3)}\n${perSecond.toFixed(0)} logins a second, ${logins} at once; medians of ${count} rounds`,
      faults: failures.filter((one) => !isLate(one)),
      late: [
        ...failures.filter(isLate),
        ...(p99.ratio > most ? [`99th percentile beside logins × ${p99.ratio.toFixed(2)}`] : []),
      ],
    };
  },
);
