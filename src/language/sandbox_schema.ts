// Owns the schema of `sandbox`: where a request names the failure that it wants to be answered with.

import * as v from 'valibot';

import { key, type Output } from '../schema/notes.ts';
import { freeHeaderSchema, matching } from '../schema/scalars.ts';

/** Headers with a meaning of their own, for browsers, proxies, libraries or Jetway. */
const knownHeaders =
  /^(?:accept(?:-.*)?|authorization|baggage|cookie|dpop|expect|forwarded|from|if-.*|max-forwards|origin|prefer|priority|range|referer|traceparent|tracestate|user-agent|via|warning|x-auth-.*|x-forwarded-.*|x-real-ip|x-request-id)$/i;

const headerSchema = v.pipe(
  freeHeaderSchema,
  v.check(
    (name) => !knownHeaders.test(name),
    'this header has a meaning already: a name such as X-Sandbox-Failure is free',
  ),
);

const parameterSchema = matching(
  /^[A-Za-z][A-Za-z0-9_.-]{0,59}$/,
  'expected a name such as sandbox_failure: a letter, then letters, digits, "_", "." and "-"',
);

export const sandboxSchema = v.pipe(
  v.strictObject({
    header: key(v.exactOptional(headerSchema), {
      text: 'The header, for clients that can send one. Its name must be free: no input and nothing else is read from it.',
      example: 'X-Sandbox-Failure',
      otherwise: 'no header is read',
    }),
    parameter: key(v.exactOptional(parameterSchema), {
      text: 'The parameter, in the query of every endpoint. It is for a login request, which is a link, and for clients that can send no header. Its name must be free, too.',
      example: 'sandbox_failure',
      otherwise: 'no parameter is read',
    }),
  }),
  v.check(
    ({ header, parameter }) => header !== undefined || parameter !== undefined,
    'expected a header, a parameter or both: where would a request name its failure?',
  ),
);

export type SandboxDefinition = Output<typeof sandboxSchema>;
