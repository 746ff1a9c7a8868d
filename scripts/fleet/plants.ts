// Owns the faults that the fleet campaign has to find when they are planted, and the command of a node
// with one of them.

import { jetwayCommand } from '../load/server.ts';

/** Each with where it shows: what has to happen to the fleet. */
export const shownBy = {
  asynchronous: 'primary killed',
  'own-marker': 'primary killed',
  cancel: 'standby silent, primary killed',
  'read-only': 'primary restarted, then killed',
  throttle: 'node killed',
} as const;

/** `asynchronous` is a setting of the databases alone. */
export type Plant = keyof typeof shownBy;

export const plants = Object.keys(shownBy) as readonly Plant[];

/** How a node is started: the sources, with a fault or without, or a built executable. */
export function nodeCommand(
  executable: string | undefined,
  plant: Plant | undefined,
): readonly string[] {
  const [program = '', ...args] = jetwayCommand(executable);
  if (plant === undefined || plant === 'asynchronous' || executable !== undefined) {
    return [program, ...args];
  }
  return [program, '--import', new URL(`./planted.ts?${plant}`, import.meta.url).href, ...args];
}
