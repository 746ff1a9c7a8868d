// Owns reading the Bearer token of a request (RFC 6750 2.1).

import { describeText, ownCause, type RulePath } from '../../oauth/cause.ts';
import { Refusal } from '../../oauth/failure.ts';
import { headerValues, type WireRequest } from '../../oauth/wire_request.ts';
import type { Service } from '../service.ts';

const bearerForm = /^bearer(?: +(.*))?$/i;
/** RFC 6750 2.1. */
const usualForm = /^[A-Za-z0-9._~+/-]+=*$/;
/** A prefix of the dialect's own can have other characters. */
const anyForm = /^[!-~]+$/;

/**
 * The bearer token; undefined where there is none, also under another scheme (RFC 6750 3.1).
 * @param rule the key of the file that asks for it
 */
export function readBearer(
  { programme: { forms } }: Pick<Service, 'programme'>,
  request: Pick<WireRequest, 'rawHeaders'>,
  rule: RulePath,
): string | undefined {
  const [header, another] = headerValues(request, 'authorization');
  if (header === undefined || header === '') return undefined;
  if (another !== undefined) throw malformedToken('several Authorization headers', rule);
  const found = bearerForm.exec(header);
  if (found === null) return undefined;
  const token = found[1]?.trimEnd() ?? '';
  const form = forms.access_token === undefined ? usualForm : anyForm;
  if (!form.test(token)) throw malformedToken(`Bearer and ${describeText(token)}`, rule);
  return token;
}

/** The refusal of a request without a bearer token. */
export function missingToken(
  request: Pick<WireRequest, 'rawHeaders'>,
  rule: RulePath,
  purpose: string,
): Refusal {
  const came = headerValues(request, 'authorization').length > 0 ? 'another scheme' : 'none';
  const cause = ownCause(rule, `Authorization: Bearer, for ${purpose}`, came);
  return new Refusal('missing_token', { parameter: 'authorization', cause });
}

function malformedToken(came: string, rule: RulePath): Refusal {
  const cause = ownCause(rule, 'Authorization: Bearer and one token', came);
  return new Refusal('invalid_token', { cause });
}
