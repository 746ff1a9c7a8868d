// Owns the causes for which nobody can be blamed but the service itself.

import {
  type Cause,
  describePath,
  endpointRule,
  ownCause,
  ownRule,
  type RulePath,
} from '../../oauth/cause.ts';
import type { Unavailable } from '../../oauth/failure.ts';

export const inMaintenance: Cause = Object.freeze({
  rule: ownRule,
  expected: 'a programme in service',
  came: 'one in maintenance (jetway maintenance off)',
});

/** Seconds after which a partner may try again while store or directory does not answer. */
export const outageRetryAfter = 5;

/** @param event the line of the log that has the same request id */
export function outage(event: string, { message }: Unavailable): Cause {
  const came = `${message} (the log has it: ${event})`;
  return { rule: ownRule, expected: 'store and directory that answer in time', came };
}

/** The error itself may hold what was sent: the log alone has it. */
export const unexpected: Cause = Object.freeze({
  rule: ownRule,
  expected: 'no error of the service',
  came: 'one that the log has: server_error, with this request id',
});

export const tooManyAtOnce: Cause = Object.freeze({
  rule: ownRule,
  expected: 'as many requests at once as the server keeps up with',
  came: 'more: it was refused before any work',
});

/** @param rule of the endpoint's methods, where a file names them */
function methodCause(methods: ReadonlySet<string>, rule: RulePath): Cause {
  return ownCause(rule, [...methods].join(' or '), 'another method');
}

export function wrongMethod(methods: ReadonlySet<string>): Cause {
  return methodCause(methods, endpointRule('methods'));
}

/** Of endpoints that are the same in every dialect. */
export function ownMethods(methods: ReadonlySet<string>): Cause {
  return methodCause(methods, ownRule);
}

/** A path may hold what is secret: its plain words alone are told. */
export function missingPath(path: string): Cause {
  return ownCause(ownRule, 'a path at which something is', describePath(path));
}

export function unknownDemand(modes: readonly string[]): Cause {
  return {
    rule: ownRule,
    expected: `/verify/ and one of ${modes.join(', ')}`,
    came: 'another word',
  };
}
