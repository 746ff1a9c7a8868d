// Owns the field of a client's throttle, with two inputs: a limit and a window.

import { milliseconds } from '../../lib/clock.ts';
import { formatDuration, parseDuration } from '../../lib/duration.ts';
import { quote } from '../../lib/fault.ts';
import type { ThrottleLimit } from '../../oauth/client.ts';
import { option } from '../grammar/grammar.ts';
import { type Field, takingAway, textsOf } from './fields.ts';

const like = '{ limit: 600, window: 1m }';
const windowText = ({ window }: ThrottleLimit): string => formatDuration(milliseconds(window));

export const throttle: Field<ThrottleLimit | undefined> = {
  json: 'throttle',
  inputs: [
    {
      name: 'throttle_limit',
      nested: { map: 'throttle', key: 'limit', like },
      words: "the throttle's limit",
      check: (text) =>
        /^\d{1,7}$/.test(text) && Number(text) >= 1 && Number(text) <= 1_000_000
          ? undefined
          : `must be a number from 1 to 1000000, not ${quote(text)}`,
      option: option('--throttle-limit <count>', 'token requests it may make in a window'),
    },
    {
      name: 'throttle_window',
      nested: { map: 'throttle', key: 'window', like },
      words: "the throttle's window",
      check: (text) =>
        (parseDuration(text) ?? 0) >= 1000
          ? undefined
          : `must be a duration of at least 1s, such as 1m, not ${quote(text)}`,
      option: option('--throttle-window <duration>', 'the window, such as 1m'),
    },
    takingAway('--no-throttle', "hold it to the programme's limit again"),
  ],
  complaints: (given) => {
    const [limit, window] = [given.get('throttle_limit'), given.get('throttle_window')];
    if ((limit === undefined) === (window === undefined)) return [];
    return (limit ?? window ?? []).map(({ at }) =>
      at === undefined
        ? { message: '--throttle-limit and --throttle-window go together' }
        : { at, message: "a throttle's limit and window go together" },
    );
  },
  read: (given) => {
    const [limit] = textsOf(given, 'throttle_limit');
    const window = parseDuration(textsOf(given, 'throttle_window')[0] ?? '');
    if (limit === undefined || window === undefined) return undefined;
    return { limit: Number(limit), window };
  },
  view: (value) => (value === undefined ? null : { ...value, window: windowText(value) }),
  lines: (value) => (value === undefined ? [] : [`${value.limit} in ${windowText(value)}`]),
};
