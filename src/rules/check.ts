// Owns the list of checks across keys; the schema has already checked each key by itself.

import type { Definition } from '../language/definition.ts';
import type { Fault } from '../lib/fault.ts';
import type { YamlNode } from '../lib/yaml/node.ts';
import { toError, toWarning } from '../schema/faults.ts';
import { acceptanceComplaints } from './acceptances.ts';
import {
  formComplaints,
  headerComplaints,
  sandboxComplaints,
  verifyComplaints,
} from './answers.ts';
import {
  assertionComplaints,
  exchangeComplaints,
  authenticationComplaints,
} from './authentication.ts';
import { besideComplaints } from './beside.ts';
import {
  endpointComplaints,
  grantComplaints,
  loginComplaints,
  selectorComplaints,
} from './endpoints.ts';
import { drawnComplaints, generatedComplaints } from './generated.ts';
import { idleLoginComplaints, refusalComplaints, resourceComplaints } from './inputs.ts';
import {
  cookieComplaints,
  answerComplaints,
  identityComplaints,
  layoutComplaints,
} from './layouts.ts';
import { lifetimeComplaints, refreshComplaints, requestedComplaints } from './lifetimes.ts';
import {
  loginPageComplaints,
  memberComplaints,
  memberNumberComplaints,
  tokenOwnerComplaints,
} from './members.ts';
import { pathComplaints } from './paths.ts';
import { scopeComplaints } from './scopes.ts';
import { signatureComplaints } from './signatures.ts';
import { type Check, warningsOf } from './warnings.ts';

const errors: readonly Check[] = [
  grantComplaints,
  pathComplaints,
  endpointComplaints,
  authenticationComplaints,
  assertionComplaints,
  signatureComplaints,
  loginComplaints,
  memberComplaints,
  memberNumberComplaints,
  tokenOwnerComplaints,
  loginPageComplaints,
  selectorComplaints,
  scopeComplaints,
  generatedComplaints,
  drawnComplaints,
  lifetimeComplaints,
  requestedComplaints,
  refreshComplaints,
  exchangeComplaints,
  answerComplaints,
  layoutComplaints,
  formComplaints,
  headerComplaints,
  cookieComplaints,
  identityComplaints,
  besideComplaints,
  idleLoginComplaints,
  refusalComplaints,
  resourceComplaints,
  verifyComplaints,
  sandboxComplaints,
  acceptanceComplaints,
];

/** The faults across keys, each at its place in `document`. */
export function checkDefinition(definition: Definition, document: YamlNode): readonly Fault[] {
  const complaints = errors.flatMap((check) => [...check(definition, document)]);
  return [
    ...complaints.map((complaint) => toError(document, complaint)),
    ...Array.from(warningsOf(definition, document), ([name, complaint]) =>
      toWarning(name, document, complaint),
    ),
  ];
}
