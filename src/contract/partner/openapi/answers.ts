// Owns the responses of an operation: every answer of the programme, by its status.

import { type FailureReason, reasons } from '../../../oauth/reasons.ts';
import { userinfoStatuses } from '../../../programme/answers/identity.ts';
import type { Answers } from '../../answers.ts';
import { type Failure, failuresOf } from '../../failures.ts';
import type { Told } from '../../samples/answers.ts';
import type { Guide } from '../guide.ts';
import { type Schema, schemaOf } from './requests.ts';

/** An answer with the name of its example. */
interface Example {
  readonly name: string;
  readonly summary: string;
  readonly told: Told;
  /** The same answer without some of its values, for the schema alone. */
  readonly others: readonly Told[];
}

/** @param form the one that the request has chosen; the usual one if left out */
export function grantExample(grant: string, { mayHold, render }: Answers, form?: string): Example {
  const subsets = [...mayHold.map((one) => [one]), mayHold];
  const name = nameIn(grant, form);
  return {
    name,
    summary: `The answer to ${name}`,
    told: render(new Set(), 'fitting'),
    others: subsets.map((absent) => render(new Set(absent))),
  };
}

/** The words `refresh_token as xml`, where a request has chosen a form. */
function nameIn(name: string, form: string | undefined): string {
  return form === undefined ? name : `${name} as ${form}`;
}

/** Those of the failures that such a request can have. */
export function failureExamples({ programme }: Guide, form?: string): readonly Example[] {
  return failuresOf(programme, form).flatMap((failure) => {
    const names = failure.metBy.partner;
    if (names === undefined) return [];
    const example = failureExample(failure, names);
    return [{ ...example, name: nameIn(example.name, form) }];
  });
}

/** The failures of a request for userinfo, whose faults of a token have RFC 6750's status. */
export function userinfoExamples({ programme }: Guide): readonly Example[] {
  return failuresOf(programme).flatMap((failure) => {
    const { reason, metBy } = failure;
    const status = userinfoStatuses[reason];
    if (metBy.caller === undefined || (status === undefined && !isOutage(reason))) return [];
    const { told, ...example } = failureExample(failure, metBy.caller);
    return [{ ...example, told: status === undefined ? told : { ...told, status } }];
  });
}

function isOutage(reason: FailureReason): boolean {
  return reason === 'server_error' || reason === 'temporarily_unavailable';
}

function failureExample(
  { reason, tell, mayHold, render }: Failure,
  names: readonly string[],
): Example {
  const { cause } = reasons[reason];
  return {
    name: reason,
    summary: cause.replace('{names}', () => names.join(', ')).replaceAll('`', ''),
    told: tell(names[0]),
    others: mayHold.map((absent) => render(new Set([absent]))),
  };
}

/** OpenAPI's responses: one for each status. */
export function responsesOf(
  { programme }: Guide,
  examples: readonly Example[],
): Readonly<Record<string, object>> {
  const byStatus = Map.groupBy(examples, ({ told }) => told.status ?? 200);
  const all = [...byStatus].map(([status, some]) => {
    const { requestIdHeader } = programme;
    const id = requestIdHeader === undefined ? [] : [requestIdHeader];
    const own = some.flatMap(({ told }) => Object.keys(told.headers));
    const names = [...new Set([...id, ...own])].filter(
      (name) => name.toLowerCase() !== 'content-type',
    );
    const response = {
      description: [...new Set(some.map(({ summary }) => summary))].join(' '),
      headers: Object.fromEntries(names.map((name) => [name, { schema: { type: 'string' } }])),
      content: contentOf(some),
    };
    return [String(status), response] as const;
  });
  return Object.fromEntries(all);
}

function contentOf(examples: readonly Example[]): Readonly<Record<string, object>> {
  const byType = Map.groupBy(examples, ({ told }) => typeOf(told));
  return Object.fromEntries(
    [...byType].map(([type, some]) => {
      const read = (told: Told): unknown => readBody(type, told.body);
      const values = some.flatMap(({ told, others }) => [told, ...others].map(read));
      const named = some.map(
        ({ name, summary, told }) => [name, { summary, value: read(told) }] as const,
      );
      const content: { schema: Schema; examples: object } = {
        schema: schemaOf(values),
        examples: Object.fromEntries(named),
      };
      return [type, content] as const;
    }),
  );
}

/** The media type without its parameters. */
function typeOf({ headers }: Told): string {
  return (headers['Content-Type'] ?? 'text/plain').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** A body as its schema sees it: a text, where it is not of the media type that a dialect gives it. */
export function readBody(type: string, body: string): unknown {
  if (/[/+]json$/.test(type)) {
    try {
      return JSON.parse(body);
    } catch {
      return body;
    }
  }
  if (type !== 'application/x-www-form-urlencoded') return body;
  return Object.fromEntries(new URLSearchParams(body));
}
