// Owns what a dialect must answer, worked out from its plain values: the independent half of the
// property that an accepted file answers as it says.

import type { FailureReason } from '../../../src/oauth/reasons.ts';
import { jsonHeaders } from '../../support/club.ts';
import type { Answer } from '../../support/wire.ts';
import { bodyOf, cased, type Known, usualTypes } from './answers.ts';
import { mapAt, type PlainMap, textAt } from './dialect.ts';

/** What is known of a refusal. */
export interface Facts {
  readonly parameter?: string;
  readonly scope?: string;
  readonly retryAfter?: number;
  /** When it is told. */
  readonly at?: number;
}

/** The whole answer to a refusal. */
export function refusal(dialect: PlainMap, reason: FailureReason, facts: Facts = {}): Answer {
  const mapping = mapAt(dialect, 'errors', 'reasons', reason);
  const errors = mapAt(dialect, 'errors');
  const challenge = challengeOf(dialect, textAt(mapping, 'challenge'), reason);
  return {
    status: Number(mapping['status']),
    headers: {
      ...jsonHeaders,
      'content-type': typeOf(errors),
      ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
      ...lowered(mapAt(mapping, 'headers')),
      ...(facts.retryAfter === undefined
        ? {}
        : { 'retry-after': String(Math.max(1, Math.ceil(facts.retryAfter))) }),
    },
    body: bodyOf(errors, {
      known: toldOf(errors, mapping, facts),
      occasion: reason,
      separator: separatorOf(dialect),
    }),
  };
}

function challengeOf(
  dialect: PlainMap,
  scheme: string | undefined,
  reason: FailureReason,
): string | undefined {
  const realm = `realm="${plainAscii(textAt(dialect, 'name') ?? '')}"`;
  if (scheme === 'basic') return `Basic ${realm}`;
  if (scheme !== 'bearer') return undefined;
  const isNamed = reason === 'invalid_token' || reason === 'insufficient_scope';
  return isNamed ? `Bearer error="${reason}"` : `Bearer ${realm}`;
}

function toldOf(errors: PlainMap, mapping: PlainMap, facts: Facts): Known {
  const style = textAt(errors, 'parameter_names');
  const given = (facts.parameter ?? '').slice(0, 60).replaceAll(/[^\w.-]/g, '');
  const parameter =
    style === 'spaced'
      ? given
          .split(/[^A-Za-z0-9]+/)
          .join(' ')
          .trim()
      : given;
  const words = textAt(mapping, 'error_description')?.split('{parameter}').join(parameter).trim();
  const textCase = textAt(errors, 'text_case');
  return {
    error: cased(textAt(mapping, 'error') ?? '', textCase),
    error_description: words === undefined ? undefined : cased(words, textCase),
    error_code: mapping['error_code'] as string | number | undefined,
    parameter: facts.parameter === undefined ? undefined : parameter,
    scope: facts.scope,
    status: mapping['status'] as number,
    answered_at: facts.at,
    ...extraOf(mapping),
  };
}

function extraOf(mapping: PlainMap): Known {
  const entries = Object.entries(mapAt(mapping, 'extra'));
  return Object.fromEntries(entries.map(([name, value]) => [`extra.${name}`, value as string]));
}

/** What stands between scopes, where one text can hold several. */
function separatorOf(dialect: PlainMap): string | undefined {
  const isList = textAt(dialect, 'scope', 'kind') === 'list';
  const separator = isList ? (textAt(dialect, 'scope', 'separator') ?? ' ') : 'none';
  return separator === 'none' ? undefined : separator;
}

function typeOf(part: PlainMap): string {
  const usual = usualTypes[textAt(part, 'encoding') ?? 'json'] ?? '';
  return textAt(part, 'content_type') ?? usual;
}

/** The whole answer to a success; tokens and the like stand as `{name}` in its body. */
export function success(dialect: PlainMap, known: Known): Answer {
  const response = mapAt(dialect, 'token_response');
  return {
    status: Number(response['status'] ?? 200),
    headers: {
      ...jsonHeaders,
      'content-type': typeOf(response),
      ...lowered(mapAt(response, 'headers')),
    },
    body: bodyOf(response, {
      known,
      occasion: String(known['grant']),
      separator: separatorOf(dialect),
    }),
  };
}

function lowered(headers: PlainMap): Record<string, string> {
  const entries = Object.entries(headers);
  return Object.fromEntries(
    entries.map(([name, value]) => [name.toLowerCase(), (value as string).trim()]),
  );
}

/** A realm is a quoted string (RFC 9110 5.6.4); what cannot stand in one is left out. The file is any.yaml. */
function plainAscii(text: string): string {
  const plain = text.replaceAll(/[^ -~]|["\\]/g, '');
  return /[a-z\d]/i.test(plain) ? plain : 'any';
}
