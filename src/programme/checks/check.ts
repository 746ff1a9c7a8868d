// Owns the list of checks across keys of a definition whose every key is well-formed by itself.

import type { Fault } from '../../lib/fault.ts';
import type { YamlNode } from '../../lib/yaml/node.ts';
import { type Complaint, toFault } from '../../schema/complaint.ts';
import type { Definition } from '../language/definition.ts';
import { memberComplaints } from '../language/members_schema.ts';
import { answerDepartures } from './answer_departures.ts';
import { answerComplaints } from './answers.ts';
import {
  authenticationComplaints,
  codeComplaints,
  levelWarnings,
  memberNumberComplaints,
  scopeComplaints,
  verifyComplaints,
} from './clients.ts';
import { departures, idleParameters } from './departures.ts';
import {
  endpointComplaints,
  grantComplaints,
  loginComplaints,
  selectorComplaints,
} from './endpoints.ts';
import { idleLoginComplaints, nameWarnings, refusalComplaints } from './inputs.ts';
import { loginPageComplaints } from './login_page.ts';

/** One check; `document` is the merged file, for the places of its keys. */
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
];

/** Where a dialect departs from an RFC, which it may, and slips that cannot be told from intent. */
const warnings: readonly Check[] = [
  departures,
  answerDepartures,
  levelWarnings,
  nameWarnings,
  idleParameters,
];

/** Every fault that the checks find, errors first. */
export function checkDefinition(definition: Definition, document: YamlNode): readonly Fault[] {
  const run = (severity: Fault['severity'], checks: readonly Check[]): readonly Fault[] =>
    checks
      .flatMap((check) => [...check(definition, document)])
      .map((complaint) => toFault(severity, document, complaint));
  return [...run('error', errors), ...run('warning', warnings)];
}
