// Owns `npm run campaign:logins`: how much longer a token takes while members log in without a pause, whose
// passwords are hashed beside the request thread (FAULTS 22).

import { executableOption, isPositive, isWhole, runCampaign } from './campaign.ts';
import { median, type Quantiles, tableOf } from './figures.ts';
import { failuresIn, type StreamOrder, type StreamResult } from './load/generator.ts';
import { attempt, namesOf, openPage, password } from './load/login.ts';
import { type Offering, streamsTo, underLoad } from './load/under_load.ts';

/** Logins at once. */
const logins = 20;
/** Token requests a second: far below what a server can answer, as in most services. */
const rate = 250;
const connections = 8;

/** Token requests by themselves, then the same beside logins. */
type Round = readonly [alone: readonly StreamResult[], beside: readonly StreamResult[]];

async function measure({ server, offer }: Offering, seconds: number, rounds: number) {
  const { port } = server;
  const tokens = streamsTo(server).token(rate, connections);
  // A login page for each connection: of two attempts on one page at once, one fails.
  const requests = await Promise.all(
    namesOf('known', logins).map(async (name) =>
      attempt(await openPage(port, 'store'), name, password),
    ),
  );
  const common = { name: 'login', port, requests, connections: logins, rate: 0 };
  const flood: StreamOrder = { ...common, takes: 'own', expects: '302' };
  await offer([tokens], seconds);
  const taken: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const alone = await offer([tokens], seconds);
    const beside = await offer([tokens, flood], seconds);
    taken.push([alone.results, beside.results]);
  }
  return taken;
}

/** Medians over the rounds, and over their ratios: other work affects only a few halves of rounds. */
function figuresOf(rounds: readonly Round[], time: keyof Quantiles) {
  const pairs = rounds.map((halves) => halves.map(([tokens]) => tokens?.served[time] ?? 0));
  const over = (read: (alone: number, beside: number) => number): number =>
    median(pairs.map(([alone = 0, beside = 0]) => read(alone, beside)));
  return [
    over((alone) => alone),
    over((_, beside) => beside),
    over((alone, beside) => beside / alone),
  ];
}

await runCampaign(
  {
    command: 'campaign:logins',
    options: {
      rounds: ['N', 'each with and without logins; medians count', 24, isWhole],
      seconds: ['S', 'length of each half of a round', 2, isPositive],
      ratio: ['N', 'times its usual 99th percentile that a token may take', 2, isPositive],
      executable: executableOption,
    },
    fails: 'when a request fails, or tokens take longer',
  },
  async ({ rounds: count, seconds, ratio: most, executable }, { folder }) => {
    // On every core: a server that has one alone hashes on it, too.
    const options = { folder, executable, isPinned: false, members: logins };
    const rounds = await underLoad(options, (offering) => measure(offering, seconds, count));
    const [p50, p99] = [figuresOf(rounds, 'p50'), figuresOf(rounds, 'p99')];
    const perSecond = median(rounds.map(([, [, flood]]) => (flood?.inTime ?? 0) / seconds));
    const table = tableOf(
      [
        ['of a token request', 'alone, ms', 'beside logins, ms', 'times'],
        ...Object.entries({ p50, p99 }).map(([name, row]) => [
          name,
          ...row.map((one) => one.toFixed(2)),
        ]),
      ],
      3,
    );
    const failures = rounds.flatMap((halves) => failuresIn(halves.flat()));
    // A login waits as long as the machine hashes; on a busy one longer than the generator.
    const isLate = (failure: string): boolean => /^login: \d+ without an answer$/.test(failure);
    const [, , ratio = Infinity] = p99;
    return {
      text: `${table}\n${perSecond.toFixed(0)} logins a second, ${logins} at once; medians of ${count} rounds`,
      faults: failures.filter((one) => !isLate(one)),
      late: [
        ...failures.filter(isLate),
        ...(ratio > most ? [`99th percentile beside logins × ${ratio.toFixed(2)}`] : []),
      ],
    };
  },
);
