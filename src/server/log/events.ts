// Owns the text of an event in the log: JSON for programs, or a line for people.

import type { Level } from '../../engine/log_events.ts';
import { legibleJson, spellOut } from '../../lib/fault.ts';
import { type Paint, paints } from './paint.ts';

interface Facts extends Readonly<Record<string, unknown>> {
  readonly programme?: string;
  readonly detail?: string;
}

/** The line of an event that happens now, its end included. No secret goes in. */
export type EventWriter = (level: Level, event: string, facts: Facts) => string;

export const jsonEvents: EventWriter = (level, event, facts) =>
  `${legibleJson({ time: new Date().toISOString(), level, event, ...facts })}\n`;

/** `12:30:01 error unavailable harbour: the store does not answer` */
export function humanEvents(isColoured: boolean): EventWriter {
  const paint = paints(isColoured);
  return (level, event, { detail, programme, ...others }) => {
    const words = [
      paint.dim(timeOfDay(new Date())),
      level === 'error' ? paint.red('error') : 'info ',
      event,
      ...(programme === undefined ? [] : [programme]),
      ...Object.entries(others).map(([name, value]) => `${name}=${factText(value)}`),
    ];
    return `${words.join(' ')}${detail === undefined ? '' : `: ${detailText(detail, paint)}`}\n`;
  };
}

function factText(value: unknown): string {
  return typeof value === 'string' ? spellOut(value) : legibleJson(value);
}

/** A stack keeps its lines. */
function detailText(text: string, paint: Paint): string {
  const [first = '', ...others] = text.split('\n').map(spellOut);
  return [first, ...others.map((line) => paint.dim(line))].join('\n');
}

/** `12:30:01`, by the machine's time zone, as a person's watch has it. */
export function timeOfDay(date: Date): string {
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
