// Owns the answers to failed token requests.

import { randomUUID } from 'node:crypto';

import type { Definition } from '../../language/definition.ts';
import { encodingOf } from '../../language/encoding.ts';
import type { ErrorMapping, ErrorsDefinition } from '../../language/errors_schema.ts';
import type { SplitScope } from '../../language/value_format.ts';
import { inCase, writtenValues } from '../../language/value_tree.ts';
import { errorVocabulary, extraPrefix, sentPrefix } from '../../language/vocabularies.ts';
import { present } from '../../lib/present.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { FailureFacts } from '../../oauth/failure.ts';
import { type FailureReason, failureReasons } from '../../oauth/reasons.ts';
import { noStore, type Reply } from '../../oauth/reply.ts';
import type { BudgetWriter } from './headers.ts';
import { compileBody, type Values } from './tree_writer.ts';

export type FailureRenderer = (reason: FailureReason, facts?: FailureFacts) => Reply;

/**
 * Compiles the error map. An answer that depends only on its reason is rendered once, here; an
 * answer that names a parameter, a scope or a time is rendered for each request.
 */
export function compileErrorMap(
  id: ProgrammeId,
  definition: Definition,
  split: SplitScope,
  tellBudget?: BudgetWriter,
): FailureRenderer {
  const { errors } = definition;
  const realm = realmOf(id, definition);
  const encoding = encodingOf[errors.encoding];
  const writeBody = compileBody(errors.fields, {
    vocabulary: errorVocabulary,
    occasion: 'reason',
    split,
    encoding,
    nameCase: errors.name_case,
    before: errors.before,
  });
  const told = writtenValues(errors.fields);
  const tellsRequest = told.has('request_id');
  const differs =
    ['parameter', 'answered_at', 'request_id'].some((name) => told.has(name)) ||
    [...told].some((name) => name.startsWith(sentPrefix));
  const renderers = new Map(
    failureReasons.map((reason) => {
      const mapping = errors.reasons[reason];
      const headers = mappingHeaders(reason, mapping, definition, realm);
      const extra = Object.fromEntries(
        Object.entries(mapping.extra).map(([name, value]) => [extraPrefix + name, value]),
      );
      const render = (facts: FailureFacts): Reply => ({
        status: mapping.status,
        headers: withFacts(headers, facts, tellBudget),
        body: writeBody({
          ...errorValues(reason, errors, facts),
          ...extra,
          ...facts.sent,
          ...(tellsRequest ? { request_id: randomUUID() } : {}),
        }),
      });
      const plain = Object.freeze(render({}));
      const describesIt = mapping.error_description?.includes('{parameter}') === true;
      const fixed = !differs && !describesIt;
      return [reason, { render, plain, fixed, tellsScope: reason === 'invalid_scope' }] as const;
    }),
  );
  return (reason, facts) => {
    const renderer = renderers.get(reason);
    if (renderer === undefined) throw new Error(`no mapping for ${reason}`);
    if (facts === undefined) return renderer.fixed ? renderer.plain : renderer.render({});
    const { allow, retryAfter, scope } = facts;
    const tellsMore = allow !== undefined || retryAfter !== undefined;
    const plainWillDo = renderer.fixed && !tellsMore && !(renderer.tellsScope && scope);
    return plainWillDo ? renderer.plain : renderer.render(facts);
  };
}

function mappingHeaders(
  reason: FailureReason,
  mapping: ErrorMapping,
  { errors, client }: Definition,
  realm: string,
): Readonly<Record<string, string>> {
  const { challenge, headers } = mapping;
  const isOwn = Object.keys(headers).some((header) => header.toLowerCase() === 'www-authenticate');
  const text =
    challenge === undefined || isOwn
      ? undefined
      : challengeText(challenge, reason, realm, client.authentication.scheme);
  return Object.freeze({
    'Content-Type': errors.content_type,
    ...noStore,
    ...present({ 'WWW-Authenticate': text }),
    ...headers,
  });
}

/** Errors in challenges (RFC 6750 3.1); a challenge to a request without a token names none. */
const bearerErrors: ReadonlySet<FailureReason> = new Set(['invalid_token', 'insufficient_scope']);

function challengeText(
  challenge: 'basic' | 'bearer',
  reason: FailureReason,
  realm: string,
  scheme: string,
): string {
  if (challenge === 'bearer' && bearerErrors.has(reason)) return `Bearer error="${reason}"`;
  return `${challenge === 'basic' ? scheme : 'Bearer'} realm="${realm}"`;
}

/**
 * The programme's name, without what a quoted string of ASCII cannot hold (RFC 9110 5.6.4 and 11.5). Of a
 * name in another script nothing that names the programme is left: the identifier is ASCII in any case.
 */
function realmOf(id: ProgrammeId, { name }: Definition): string {
  const realm = name.replaceAll(/[^ !#-[\]-~]/g, '');
  return /[A-Za-z0-9]/.test(realm) ? realm : id;
}

function withFacts(
  headers: Readonly<Record<string, string>>,
  { allow, retryAfter, budget }: FailureFacts,
  tellBudget: BudgetWriter | undefined,
): Readonly<Record<string, string>> {
  if (allow !== undefined) return { ...headers, Allow: allow };
  if (retryAfter === undefined) return headers;
  const told = budget === undefined ? undefined : tellBudget?.(budget);
  return { ...headers, 'Retry-After': String(Math.max(1, Math.ceil(retryAfter))), ...told };
}

function errorValues(reason: FailureReason, errors: ErrorsDefinition, facts: FailureFacts): Values {
  const mapping = errors.reasons[reason];
  const parameter = describeName(facts.parameter ?? '', errors.parameter_names);
  const text = mapping.error_description?.replaceAll('{parameter}', () => parameter).trim();
  return {
    error: inCase(mapping.error, errors.text_case),
    error_description: text === undefined ? undefined : inCase(text, errors.text_case),
    error_code: mapping.error_code,
    parameter: facts.parameter === undefined ? undefined : parameter,
    scope: facts.scope,
    status: mapping.status,
    reason,
    answered_at: facts.at,
  };
}

/**
 * Parameter names are the dialect's, except unknown parameters: their names come from the sender,
 * so only harmless characters are repeated (HOSTILE 51).
 */
function describeName(name: string, style: ErrorsDefinition['parameter_names']): string {
  const harmless = name.slice(0, 60).replaceAll(/[^A-Za-z0-9_.-]/g, '');
  return style === 'spaced' ? harmless.replaceAll(/[^A-Za-z0-9]+/g, ' ').trim() : harmless;
}
