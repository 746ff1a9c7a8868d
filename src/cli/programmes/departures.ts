// Owns what `show --departures` prints: where a programme departs from the RFCs, and why.

import { formatPosition } from '../../lib/fault.ts';
import type { Departure } from '../../rules/acceptances.ts';
import type { LoadedProgramme } from '../../rules/load.ts';
import { printResult, type VerbOptions } from '../output.ts';

export function showDepartures(
  { id, departures }: LoadedProgramme,
  options: VerbOptions,
): Promise<void> {
  const texts = departures.map(textOf);
  const text = texts.length === 0 ? `${id} departs from no RFC.` : texts.join('\n');
  return printResult(options, departures.map(viewOf), text);
}

function textOf({ warning, reason, isQuiet }: Departure): string {
  const { at, name, path, message, hint } = warning;
  const unaccepted = isQuiet === true ? 'check does not warn of it' : 'not accepted';
  return [
    `${formatPosition(at)}: ${name}: ${message}`,
    `  key: ${path}`,
    ...(hint === undefined ? [] : [`  note: ${hint}`]),
    `  ${reason === undefined ? unaccepted : `accepted: ${reason}`}`,
  ].join('\n');
}

function viewOf({ warning: { at, name, path, message, hint }, reason }: Departure): object {
  const rfcs = message.match(/RFC \d+/g) ?? [];
  const accepted = reason ?? null;
  return { name, rfcs: [...new Set(rfcs)], ...at, path, message, note: hint ?? null, accepted };
}
