// Owns the words that several sections of a partner's page share: spans, examples, inputs, answers.

import type { Milliseconds } from '../../../lib/clock.ts';
import { formatDuration } from '../../../lib/duration.ts';
import type { Programme } from '../../../programme/programme.ts';
import type { Input } from '../../../programme/requests/inputs.ts';
import { answerText } from '../../answers.ts';
import type { Told } from '../../samples/answers.ts';
import type { SampleRequest } from '../../samples/requests.ts';
import { curlLines } from '../curl.ts';
import type { Guide } from '../guide.ts';
import { type Block, codeBlock, inCode, sentence, table } from '../markdown.ts';
import { inputText } from '../values.ts';

const units: Readonly<Record<string, string>> = {
  ms: 'millisecond',
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
};

/** `90 seconds`. */
export function spanText(span: Milliseconds): string {
  const [, count = '', unit = ''] = /^(\d+)(\w+)$/.exec(formatDuration(span)) ?? [];
  return `${count} ${units[unit] ?? unit}${count === '1' ? '' : 's'}`;
}

/** The request by curl. `header` is the header of the answer that holds the token, if its body does not. */
export function example(base: string, request: SampleRequest, header?: string): string {
  const flags = header === undefined ? '-sS' : '-sS -i';
  return codeBlock('sh', curlLines(base, request, flags));
}

/** The inputs of a request, those it must have first. */
export function inputTable(
  { programme }: Guide,
  inputs: readonly (readonly [input: Input<unknown>, isNeeded: boolean, text?: string])[],
): string {
  const rows = inputs
    .toSorted(([, one], [, other]) => Number(other) - Number(one))
    .map(([input, isNeeded, text]) => [
      inCode(input.name),
      placeText(input),
      isNeeded ? 'yes' : 'no',
      sentence(text ?? inputText(input, programme)),
    ]);
  return table(['Name', 'Where', 'Required', 'Value'], rows);
}

const placeTexts = {
  query: 'query',
  form: 'form body',
  multipart: 'multipart body',
  json: 'JSON body',
  xml: 'XML body',
  header: 'header',
  path: 'path',
  cookie: 'cookie',
} as const;

function placeText({ places, attribute }: Input<unknown>): string {
  if (attribute) return 'XML attribute';
  return places.map((place) => placeTexts[place]).join(' or ');
}

/** The keys whose paragraphs stand among others. */
const places = [
  'client',
  'authorize',
  'code',
  'login',
  'tokens.access',
  'tokens.refresh',
  'token_response',
  'errors',
] as const;

/** What partners are told by each key below one alone; without one, by those that have no other place. */
export function paragraphs({ told }: Programme, under?: (typeof places)[number]): Block {
  return told.flatMap(({ key, page }) => {
    const place = places.find((one) => key.startsWith(`${one}.`));
    return page !== undefined && place === under ? [page] : [];
  });
}

/** An answer as it comes over the wire; JSON is laid out for reading. */
export function answerBlock({ status = 200, headers, body }: Told): string {
  return codeBlock('http', `HTTP/1.1 ${answerText({ status, headers, body: laidOut(body) })}`);
}

function laidOut(body: string): string {
  try {
    return `\n${JSON.stringify(JSON.parse(body), undefined, 2)}`;
  } catch {
    return body === '' ? '' : `\n${body}`;
  }
}

/** An answer in one line: status and body. */
export function shortAnswer({ status, body }: Told): string {
  return `${status} ${inCode(body)}`;
}
