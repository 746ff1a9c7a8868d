// Owns the frame of a campaign: its options from the command line, the command of the server that it
// measures, its folder and its exit code.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** A number's default, and whether another may stand for it. */
export type NumberOption = readonly [usual: number, fits: (value: number) => boolean];

export const isPositive = (value: number): boolean => value > 0;
export const isWhole = (value: number): boolean => Number.isInteger(value) && value >= 1;
export const isNotNegative = (value: number): boolean => value >= 0;

type Options<Numbers extends string, Text extends string, Flag extends string> = Readonly<
  Record<Numbers, number> & Partial<Record<Text, string>> & Partial<Record<Flag, boolean>>
>;

/** The options of a campaign; undefined after `--help` or a slip, with the exit code set. */
export function readOptions<
  Numbers extends string,
  Text extends string = never,
  Flag extends string = never,
>(
  usage: string,
  numbers: Readonly<Record<Numbers, NumberOption>>,
  texts: readonly Text[] = [],
  flags: readonly Flag[] = [],
): Options<Numbers, Text, Flag> | undefined {
  const rows = Object.entries<NumberOption>(numbers);
  const types = [
    ...[...rows.map(([name]) => name), ...texts].map((name) => [name, 'string'] as const),
    ...[...flags, 'help'].map((name) => [name, 'boolean'] as const),
  ];
  const stop = (code: number, ...told: readonly string[]): undefined => {
    console.error([...told, usage].join('\n'));
    process.exitCode = code;
  };
  try {
    const { values } = parseArgs({
      options: Object.fromEntries(types.map(([name, type]) => [name, { type }])),
    });
    if (values['help'] === true) return stop(0);
    const read = rows.map(([name, [usual, fits]]) => {
      const value = Number(values[name] ?? usual);
      if (values[name] !== undefined && !fits(value))
        throw new Error(`--${name} cannot be ${String(values[name])}`);
      return [name, value] as const;
    });
    return { ...values, ...Object.fromEntries(read) } as Options<Numbers, Text, Flag>;
  } catch (error) {
    return stop(2, error instanceof Error ? error.message : String(error));
  }
}

/** What starts `jetway`: the built executable, or the sources. */
export function jetwayCommand(executable?: string): readonly string[] {
  if (executable !== undefined) return [executable];
  return [process.execPath, join(import.meta.dirname, '../src/main.ts')];
}

/**
 * Runs a campaign in a folder of its own; the exit code is 1 unless `work` resolves to true.
 *
 * @param keeps leaves the folder where the campaign fails
 */
export async function runCampaign(
  name: string,
  work: (folder: string) => Promise<boolean>,
  keeps = false,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), `jetway-${name}-`));
  let isGood = false;
  const discard = (): void => {
    if (isGood || !keeps) rmSync(folder, { recursive: true, force: true });
  };
  const interrupted = (): void => {
    discard();
    process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupted);
  try {
    isGood = await work(folder);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupted);
    discard();
  }
  if (!isGood) process.exitCode = 1;
}
