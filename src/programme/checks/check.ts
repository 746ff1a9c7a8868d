// Owns the list of checks across keys; the schema has already checked each key by itself.

import type { Fault, Path } from '../../lib/fault.ts';
import type { YamlNode } from '../../lib/yaml/node.ts';
import { type Complaint, toFault } from '../../schema/complaint.ts';
import type { Definition } from '../language/definition.ts';
import { memberComplaints } from '../language/members_schema.ts';
import { answerComplaints } from './answers.ts';
import {
  authenticationComplaints,
  codeComplaints,
  lifetimeWarnings,
  memberNumberComplaints,
  verifyComplaints,
} from './clients.ts';
import { departures } from './departures/departures.ts';
import {
  endpointComplaints,
  grantComplaints,
  loginComplaints,
  selectorComplaints,
} from './endpoints.ts';
import { idleLists } from './idle_lists.ts';
import { idleParameters } from './idle_parameters.ts';
import { idleLoginComplaints, nameWarnings, refusalComplaints } from './inputs.ts';
import { judged } from './judged.ts';
import { loginPageComplaints } from './login_page.ts';
import { sandboxComplaints } from './sandbox.ts';
import { levelWarnings, scopeComplaints } from './scopes.ts';

/** `document` is the merged file, for the positions of its keys. */
type Check = (definition: Definition, document: YamlNode) => Iterable<Complaint>;

const errors: readonly Check[] = [
  grantComplaints,
  endpointComplaints,
  authenticationComplaints,
  loginComplaints,
  ({ members }) => memberComplaints(members),
  memberNumberComplaints,
  loginPageComplaints,
  selectorComplaints,
  scopeComplaints,
  codeComplaints,
  answerComplaints,
  idleLoginComplaints,
  refusalComplaints,
  verifyComplaints,
  sandboxComplaints,
];

/** Departures from an RFC, which are allowed, and settings that may be slips. */
const warnings: readonly Check[] = [
  ...Object.values(departures),
  levelWarnings,
  lifetimeWarnings,
  nameWarnings,
  idleParameters,
  idleLists,
];

/** @param faulty keys of the file at fault, which the definition lacks; checks that read one are left */
export function checkDefinition(
  definition: Definition,
  document: YamlNode,
  faulty: readonly Path[] = [],
): readonly Fault[] {
  const run = (severity: Fault['severity'], checks: readonly Check[]): readonly Fault[] =>
    checks
      .flatMap((check) => [...judged((whole) => check(whole, document), definition, faulty)])
      .map((complaint) => toFault(severity, document, complaint));
  return [...run('error', errors), ...run('warning', warnings)];
}
