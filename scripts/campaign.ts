// Owns the frame of a campaign: its options from the command line and what it says of them, its folder, its
// report, and its verdict with the exit code.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { tableOf } from './figures.ts';
import { type Noise, watchOthers } from './load/noise.ts';

/** An option with a number: what stands for it, what it is, its default (0 is told in words), what it may be. */
export type NumberOption = readonly [
  value: string,
  text: string,
  usual: number,
  fits: (value: number) => boolean,
];

export const isPositive = (value: number): boolean => value > 0;
export const isWhole = (value: number): boolean => Number.isInteger(value) && value >= 1;
export const isNotNegative = (value: number): boolean => value >= 0;

/** An option of the campaigns that start Jetway. */
export const executableOption = ['FILE', 'a built jetway instead of the sources'] as const;

export interface Campaign<Numbers extends string, Text extends string, Flag extends string> {
  /** Of its command in package.json: `campaign:crash`. */
  readonly command: string;
  readonly numbers: Readonly<Record<Numbers, NumberOption>>;
  readonly texts?: Readonly<Record<Text, readonly [value: string, text: string]>>;
  readonly flags?: Readonly<Record<Flag, string>>;
  /** When it exits with 1. */
  readonly fails: string;
  /** Whether the folder is left where the campaign fails. */
  readonly keepsFolder?: boolean;
  /** Whether its limits are for the slowest of all moments, and not for medians. */
  readonly isOfMoments?: boolean;
}

export type Options<Numbers extends string, Text extends string, Flag extends string> = Readonly<
  Record<Numbers, number> & Partial<Record<Text, string>> & Partial<Record<Flag, boolean>>
>;

/** What a campaign works with. */
export interface Scene {
  readonly folder: string;
  /** For who watches; silent with `--json`. */
  readonly progress: (text: string) => void;
}

/** What a campaign found. */
export interface Findings {
  /** For programs. */
  readonly figures: object;
  /** For people. */
  readonly text?: string;
  /** What was lost, doubled, refused or wrong. It fails, whatever the machine did besides. */
  readonly faults: readonly string[];
  /** Limits of time that were missed. On a machine that had too much other work they tell nothing. */
  readonly late?: readonly string[];
  /** The control, where the campaign has one of its own; else what others took of all processors. */
  readonly noise?: Noise;
}

/** The first words of the line that a campaign ends with that could not be told; .ci/run reads them. */
export const untold = 'too noisy to tell';

/** Shares of the processors that others may take: in the mean, and in two seconds where each counts. */
const mostNoise: Noise = { mean: 0.1, worst: 0.4 };

/** Runs a campaign with the options of the command line, in a folder of its own; sets the exit code. */
export async function runCampaign<
  Numbers extends string,
  Text extends string = never,
  Flag extends string = never,
>(
  campaign: Campaign<Numbers, Text, Flag>,
  work: (options: Options<Numbers, Text, Flag>, scene: Scene) => Promise<Findings>,
): Promise<void> {
  const options = readOptions(campaign);
  if (options === undefined) return;
  const isJson = options.json === true;
  const progress = isJson ? () => {} : (text: string): void => void process.stderr.write(text);
  let isGood = false;
  const folder = mkdtempSync(join(tmpdir(), `jetway-${campaign.command.replace(/^.*:/, '')}-`));
  const leave = (): void => {
    if (isGood || campaign.keepsFolder !== true) rmSync(folder, { recursive: true, force: true });
  };
  const interrupted = (): void => {
    leave();
    process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupted);
  const endWatch = watchOthers();
  try {
    const findings = await work(options, { folder, progress });
    const { noise = endWatch() } = findings;
    const verdict = verdictOf(findings, noise, campaign.isOfMoments);
    report(findings, noise, isJson);
    isGood = verdict !== 'missed';
    if (verdict === 'untold') {
      const [mean, worst] = [noise.mean, noise.worst].map((share) => Math.round(share * 100));
      console.error(
        `${untold}: other programs took ${mean} % of the processors, ${worst} % in the worst two seconds`,
      );
    }
    if (!isGood && campaign.keepsFolder === true) progress(`see ${folder}\n`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupted);
    leave();
  }
  if (!isGood) process.exitCode = 1;
}

type Verdict = 'met' | 'missed' | 'untold';

/** Faults are always told; times only if the control, what others took of the processors, was not off. */
export function verdictOf(
  { faults, late = [] }: Pick<Findings, 'faults' | 'late'>,
  { mean, worst }: Noise,
  isOfMoments = false,
): Verdict {
  if (faults.length > 0) return 'missed';
  if (late.length === 0) return 'met';
  const isNoisy = mean > mostNoise.mean || (isOfMoments && worst > mostNoise.worst);
  return isNoisy ? 'untold' : 'missed';
}

/** Prints what was found. */
function report(
  { figures, text, faults, late = [] }: Findings,
  noise: Noise,
  isJson: boolean,
): void {
  if (isJson) {
    console.log(JSON.stringify({ ...figures, faults, late, noise }, null, 2));
    return;
  }
  if (text !== undefined) console.log(text);
  for (const fault of [...faults, ...late].slice(0, 20)) console.log(`MISSED  ${fault}`);
}

/** Undefined after `--help` or a slip, with the exit code set. */
function readOptions<Numbers extends string, Text extends string, Flag extends string>(
  campaign: Campaign<Numbers, Text, Flag>,
): Options<Numbers, Text, Flag | 'json'> | undefined {
  const rows = Object.entries<NumberOption>(campaign.numbers);
  const types = [
    ...[...rows.map(([name]) => name), ...Object.keys(campaign.texts ?? {})].map(
      (name) => [name, 'string'] as const,
    ),
    ...[...Object.keys(campaign.flags ?? {}), 'json', 'help'].map(
      (name) => [name, 'boolean'] as const,
    ),
  ];
  const stop = (code: number, ...told: readonly string[]): undefined => {
    console.error([...told, usageOf(campaign)].join('\n'));
    process.exitCode = code;
  };
  try {
    const { values } = parseArgs({
      options: Object.fromEntries(types.map(([name, type]) => [name, { type }])),
    });
    if (values['help'] === true) return stop(0);
    const read = rows.map(([name, [, , usual, fits]]) => {
      const value = Number(values[name] ?? usual);
      if (values[name] !== undefined && !fits(value))
        throw new Error(`--${name} cannot be ${String(values[name])}`);
      return [name, value] as const;
    });
    return { ...values, ...Object.fromEntries(read) } as Options<Numbers, Text, Flag | 'json'>;
  } catch (error) {
    return stop(2, error instanceof Error ? error.message : String(error));
  }
}

function usageOf({
  command,
  numbers,
  texts = {},
  flags = {},
  fails,
}: Campaign<string, string, string>): string {
  const lines = [
    ...Object.entries(numbers).map(([name, [value, text, usual]]) => [
      `--${name} ${value}`,
      usual === 0 ? text : `${text} (${usual})`,
    ]),
    ...Object.entries(texts).map(([name, [value, text]]) => [`--${name} ${value}`, text]),
    ...Object.entries(flags).map(([name, text]) => [`--${name}`, text]),
    ['--json', 'for programs'],
  ];
  const options = tableOf(
    lines.map((cells) => ['', ...cells]),
    0,
  );
  return `npm run ${command} -- [options]\n${options}\nExits 1 ${fails}.`;
}
