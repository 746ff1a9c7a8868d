// Owns the frame of a campaign: its options from the command line and what it says of them, its folder, its
// report, and its verdict with the exit code.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { tableOf } from './figures.ts';
import { type Noise, watchOthers } from './load/noise.ts';

/**
 * An option: what stands for its value, what it is and, of a number, its default (0 is told in words) and what
 * it may be; of a flag what it is.
 */
type Option =
  | readonly [value: string, text: string, usual: number, fits: (value: number) => boolean]
  | readonly [value: string, text: string]
  | string;

type Rows = Readonly<Record<string, Option>>;

type Options<Of extends Rows> = {
  readonly [Name in keyof Of]: Of[Name] extends string
    ? boolean
    : Of[Name] extends readonly [string, string]
      ? string | undefined
      : number;
};

export const isPositive = (value: number): boolean => value > 0;
export const isWhole = (value: number): boolean => Number.isInteger(value) && value >= 1;
export const isNotNegative = (value: number): boolean => value >= 0;

/** An option of the campaigns that start Jetway. */
export const executableOption = ['FILE', 'a built jetway instead of the sources'] as const;

interface Campaign<Of extends Rows> {
  /** Of its command in package.json: `campaign:crash`. */
  readonly command: string;
  readonly options: Of;
  /** When it exits with 1. */
  readonly fails: string;
  /** Whether the folder is left if the campaign fails. */
  readonly keepsFolder?: boolean;
  /** Whether its limits are for the slowest of all moments, and not for medians. */
  readonly isOfMoments?: boolean;
}

/** What a campaign works with. */
interface Scene {
  readonly folder: string;
  /** For those who watch. */
  readonly progress: (text: string) => void;
}

/** What a campaign found. */
export interface Findings {
  readonly text: string;
  /** What was lost, doubled, refused or wrong. It fails, whatever the machine did besides. */
  readonly faults: readonly string[];
  /** Limits of time that were missed. On a machine that had too much other work they tell nothing. */
  readonly late?: readonly string[];
  /** The control, if the campaign has one of its own; else what others took of all processors. */
  readonly noise?: Noise;
}

/** The first words of the line that a campaign ends with that could not be told; .ci/run reads them. */
export const untold = 'too noisy to tell';

/** Shares of the processors that others may take: in the mean, and in two seconds where each counts. */
const mostNoise: Noise = { mean: 0.1, worst: 0.4 };

/** Runs a campaign with the options of the command line, in a folder of its own; sets the exit code. */
export async function runCampaign<const Of extends Rows>(
  campaign: Campaign<Of>,
  work: (options: Options<Of>, scene: Scene) => Promise<Findings>,
): Promise<void> {
  const options = readOptions(campaign);
  if (options === undefined) return;
  const { command, keepsFolder = false, isOfMoments } = campaign;
  const folder = mkdtempSync(join(tmpdir(), `jetway-${command.replace(/^.*:/, '')}-`));
  const progress = (text: string): void => void process.stderr.write(text);
  process.once('exit', (code) => {
    if (code === 0 || !keepsFolder) rmSync(folder, { recursive: true, force: true });
    else progress(`see ${folder}\n`);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  process.exitCode = 1;
  const endWatch = watchOthers();
  try {
    const findings = await work(options, { folder, progress });
    const { text, faults, late = [], noise = endWatch() } = findings;
    console.log(text);
    for (const fault of [...faults, ...late].slice(0, 20)) console.log(`MISSED  ${fault}`);
    const verdict = verdictOf(findings, noise, isOfMoments);
    if (verdict === 'untold') {
      const [mean, worst] = [noise.mean, noise.worst].map((share) => Math.round(share * 100));
      console.error(
        `${untold}: other programs took ${mean} % of the processors, ${worst} % in the worst two seconds`,
      );
    }
    if (verdict !== 'missed') process.exitCode = 0;
  } catch (error) {
    console.error(messageOf(error));
  }
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

/** Undefined after `--help` or a slip, with the exit code set. */
function readOptions<Of extends Rows>(campaign: Campaign<Of>): Options<Of> | undefined {
  const rows = [...Object.entries<Option>(campaign.options), ['help', ''] as const];
  const stop = (code: number, ...told: readonly string[]): undefined => {
    console.error([...told, usageOf(campaign)].join('\n'));
    process.exitCode = code;
  };
  try {
    const types = rows.map(([name, row]) => [
      name,
      { type: typeof row === 'string' ? 'boolean' : 'string' } as const,
    ]);
    const { values } = parseArgs({
      options: Object.fromEntries(types) as Record<string, { type: 'boolean' | 'string' }>,
    });
    if (values['help'] === true) return stop(0);
    const read = rows.map(([name, row]) => {
      const given = values[name];
      if (typeof row === 'string') return [name, given === true];
      if (row.length === 2) return [name, given];
      const [, , usual, fits] = row;
      const value = Number(given ?? usual);
      if (given !== undefined && !fits(value))
        throw new Error(`--${name} cannot be ${String(given)}`);
      return [name, value];
    });
    return Object.fromEntries(read) as Options<Of>;
  } catch (error) {
    return stop(2, messageOf(error));
  }
}

function usageOf({ command, options, fails }: Campaign<Rows>): string {
  const lines = Object.entries(options).map(([name, row]) => {
    if (typeof row === 'string') return ['', `--${name}`, row];
    const [value, text, usual = 0] = row;
    return ['', `--${name} ${value}`, usual === 0 ? text : `${text} (${usual})`];
  });
  return `npm run ${command} -- [options]\n${tableOf(lines, 0)}\nExits 1 ${fails}.`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
