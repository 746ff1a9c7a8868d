// Owns the error codes of RFC 6749 5.2 as groups of failure reasons: those that each code is said of.

import { type FailureReason, grantFailures } from './failure.ts';

/** Codes that are reasons themselves, such as invalid_scope, stay out. */
export const reasonsByCode: Readonly<Record<string, readonly FailureReason[]>> = {
  invalid_request: [
    'malformed_body',
    'repeated_parameter',
    'unknown_parameter',
    'misplaced_parameter',
    'authentication_ambiguous',
    'missing_grant_type',
    'missing_parameter',
    'invalid_parameter',
  ],
  invalid_client: [
    'authentication_missing',
    'authentication_malformed',
    'client_authentication_failed',
  ],
  invalid_grant: Object.values(grantFailures),
  unauthorized_client: ['grant_not_allowed'],
};
