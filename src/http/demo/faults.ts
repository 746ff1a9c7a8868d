// Owns the errors that a visitor can trigger with a click, and the dialect's answers to the others.

import {
  type FailureReason,
  failureReasons,
  type LoginFailureReason,
} from '../../oauth/failure.ts';
import {
  loginFaults,
  type SampleFault,
  tokenFaults,
} from '../../programme/requests/sample_faults.ts';
import { loginValues, verifyFaults } from './demo.ts';
import type { Visit } from './visit.ts';

export interface DemoFault extends SampleFault<FailureReason | LoginFailureReason> {
  /** The endpoints that give this answer, in words. */
  readonly group: string;
  /** Unique among the faults of its programme. */
  readonly key: string;
}

/** Requests that the programme refuses, each for another reason. */
export function faultsOf({ demo, access, kind, ended }: Visit): readonly DemoFault[] {
  const { programme, definition, by } = demo;
  const held = access && !ended ? { token: access.text, kind } : undefined;
  const hasLogin = programme.grants.has('authorization_code');
  const groups: Readonly<Record<string, readonly SampleFault<DemoFault['reason']>[]>> = {
    'At the token endpoints': tokenFaults(programme, definition, by),
    'At verify, as a gateway passes them on': verifyFaults(demo, held),
    'At the login': hasLogin ? loginFaults(definition, by, loginValues(demo)) : [],
  };
  return Object.entries(groups).flatMap(([group, faults]) =>
    faults.map((fault) => ({ ...fault, group, key: `${group} ${fault.reason}` })),
  );
}

export function unsentAnswers(
  { demo }: Visit,
  faults: readonly DemoFault[],
): readonly { readonly reason: FailureReason; readonly status: number; readonly body: string }[] {
  const sent = new Set<string>(faults.map(({ reason }) => reason));
  return failureReasons
    .filter((reason) => !sent.has(reason))
    .map((reason) => ({ reason, ...demo.programme.renderFailure(reason) }));
}
