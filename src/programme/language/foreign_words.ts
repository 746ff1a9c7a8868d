// Owns words of other services and of the RFCs that operators write and the language does not have,
// and says what stands for each here, or that there is no such thing.

import { nodeAt } from '../../lib/document.ts';
import type { Fault } from '../../lib/fault.ts';
import type { YamlNode } from '../../lib/yaml/node.ts';
import type { FailureReason } from '../../oauth/failure.ts';

/** The reasons that each error code of RFC 6749 5.2 is said of; codes that are reasons stay out. */
const reasonsOf: Readonly<Record<string, readonly FailureReason[]>> = {
  invalid_request: [
    'malformed_body',
    'repeated_parameter',
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
  invalid_grant: ['invalid_code', 'invalid_refresh_token', 'invalid_member_credentials'],
  unauthorized_client: ['grant_not_allowed'],
};

type Hints = ReadonlyMap<string, string>;

const errorCodes: Hints = new Map(
  Object.entries(reasonsOf).map(([code, reasons]) => [
    code,
    `${code} is an error code (RFC 6749 5.2); the reasons for it are ${reasons.join(', ')}`,
  ]),
);

/** Places of a file, as the paths of their faults, and a hint for each word. */
const places: readonly (readonly [path: RegExp, hints: Hints])[] = [
  [/^errors\.(?:reasons\.[^.]+|(?:groups\.\d+\.reasons|fields\..*\bonly)\.\d+)$/, errorCodes],
  [
    /^client\.authentication\.methods\.\d+$/,
    new Map([
      ['client_secret_basic', 'write basic'],
      ['client_secret_post', 'write parameters'],
      [
        'client_secret_jwt',
        'there is no such method: Jetway keeps a digest of each secret, which verifies no signature',
      ],
    ]),
  ],
  [
    /^tokens\.refresh\.[^.]+$/,
    new Map([
      ['idle', 'write lifetime, which each use begins anew'],
      ['reuse', 'write rotation: off'],
    ]),
  ],
  [
    /^grants\.[^.]+$/,
    new Map([
      ['implicit', 'there is no implicit grant: RFC 9700 2.1.2 advises against it'],
      ['device_code', 'there is no device grant (RFC 8628)'],
    ]),
  ],
];

/** The fault with the hint for the word at its place, if there is one. */
export function withForeignWord(document: YamlNode, fault: Fault): Fault {
  if (!/^(?:unknown key|expected) /.test(fault.message)) return fault;
  const hints = places.find(([path]) => path.test(fault.path))?.[1];
  const hint = hints?.get(wordAt(document, fault.path.split('.')));
  return hint === undefined ? fault : { ...fault, hint };
}

/** The text of a list's item, or the name of a map's key. */
function wordAt(document: YamlNode, path: readonly string[]): string {
  const steps = path.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  const node = nodeAt(document, steps);
  const isItem = typeof steps.at(-1) === 'number';
  return isItem && node?.kind === 'scalar' ? String(node.value) : (path.at(-1) ?? '');
}
