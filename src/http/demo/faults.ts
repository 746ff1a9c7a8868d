// Owns which errors a visit can bring about by a click, and what the rest would be answered with.

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
  /** Where it comes from, in words. */
  readonly group: string;
  /** Names it among the others of its programme. */
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

/** How the dialect words what is left. */
export function unsentAnswers(
  { demo }: Visit,
  faults: readonly DemoFault[],
): readonly { readonly reason: FailureReason; readonly status: number; readonly body: string }[] {
  const sent = new Set<string>(faults.map(({ reason }) => reason));
  return failureReasons
    .filter((reason) => !sent.has(reason))
    .map((reason) => ({ reason, ...demo.programme.renderFailure(reason) }));
}
