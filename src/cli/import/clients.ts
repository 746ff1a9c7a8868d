// Owns judging a table of clients: each row becomes a client to be, or has faults. No store here.

import { errorAt, type Fault, quote } from '../../lib/fault.ts';
import { nameHint } from '../../lib/suggest.ts';
import { type ClientId, type Role, roles, type ThrottleLimit } from '../../oauth/client.ts';
import { redirectUriFault } from '../../oauth/redirect_uri.ts';
import type { Definition } from '../../programme/language/definition.ts';
import type { Programme } from '../../programme/programme.ts';
import type { ClientFields } from '../entities/client_fields.ts';
import { type FieldNames, judgeClient, orIncomplete } from '../entities/client_needs.ts';
import {
  businessContextFault,
  nameFault,
  partnerIdFault,
  propertyValueFault,
  readThrottle,
} from '../entities/client_rules.ts';
import { apiKeyFault, secretFault, secretWarning } from '../entities/client_secret.ts';
import {
  type ImportField,
  type ImportRow,
  type ImportTable,
  type ImportValue,
  requiredFields,
} from './table.ts';

/** A client that nothing in its row speaks against. */
export interface ImportedClient {
  readonly at: ImportValue['at'];
  readonly id: ClientId;
  readonly fields: ClientFields;
  readonly secret: string;
  readonly apiKey?: string;
}

export interface JudgedImport {
  readonly clients: readonly ImportedClient[];
  /** Errors and warnings, in the order of the rows. */
  readonly faults: readonly Fault[];
}

/** What the clients are to be held against. */
export interface ImportRules {
  readonly programme: Programme;
  readonly definition: Definition;
  /** Whether a client may lack what the dialect needs, and several have one API key. */
  readonly incomplete?: boolean;
  readonly sharedApiKeys?: boolean;
}

const columnNames: FieldNames = {
  role: 'roles',
  businessContext: 'business_context',
  partnerId: 'partner_id',
  apiKeys: 'api_key',
  property: (name) => `property.${name}`,
};

export function judgeImport({ rows, fields }: ImportTable, rules: ImportRules): JudgedImport {
  const [ids, apiKeys] = [new Map<string, number>(), new Map<string, number>()];
  const judged = rows.map((row) => {
    const twice = [
      ...repetition(ids, one(row, 'client_id'), ({ text }) => quote(text)),
      // Verification tells by its key who calls (C-4); the key itself is not told.
      ...(rules.sharedApiKeys === true
        ? []
        : repetition(apiKeys, one(row, 'api_key'), () => 'this api_key', sharing)),
    ];
    const missing = requiredFields
      .filter((field) => fields.has(field) && !row.values.has(field))
      .map((field) => errorAt(row.at, [field], `this client has no ${field}`));
    return judgeRow(row, [...twice, ...missing, ...rowFaults(row, rules)], rules);
  });
  return {
    clients: judged.flatMap(({ client }) => client ?? []),
    faults: judged.flatMap(({ faults }) => faults),
  };
}

/** What to do about an API key that several clients have. */
export const sharing = 'clients of one partner may share one: --shared-api-keys';

/** A fault where a value that must be one client's alone stood in an earlier line, which is noted. */
function repetition(
  places: Map<string, number>,
  value: ImportValue | undefined,
  name: (value: ImportValue) => string,
  hint?: string,
): readonly Fault[] {
  if (value === undefined) return [];
  const earlier = places.get(value.text);
  if (earlier !== undefined) {
    return [errorAt(value.at, [], `${name(value)} is in line ${earlier} already`, hint)];
  }
  places.set(value.text, value.at.line);
  return [];
}

interface JudgedRow {
  readonly client?: ImportedClient;
  readonly faults: readonly Fault[];
}

function judgeRow(row: ImportRow, errors: readonly Fault[], rules: ImportRules): JudgedRow {
  const [id, secret] = [one(row, 'client_id'), one(row, 'client_secret')];
  const apiKey = one(row, 'api_key');
  if (id === undefined || secret === undefined || errors.length > 0) return { faults: errors };
  const client = {
    at: id.at,
    id: id.text as ClientId,
    fields: fieldsOf(row),
    secret: secret.text,
    ...(apiKey === undefined ? {} : { apiKey: apiKey.text }),
  };
  const short = [
    ...warningAt(secret, secretWarning('secret', secret.text)),
    ...(apiKey === undefined ? [] : warningAt(apiKey, secretWarning('API key', apiKey.text))),
  ];
  const { definition, programme, incomplete } = rules;
  const judged = { ...client.fields, apiKeys: apiKey === undefined ? [] : [apiKey] };
  const { missing, warnings } = judgeClient({ id: programme.id, definition }, judged, columnNames);
  if (missing.length > 0 && incomplete !== true) {
    return { faults: missing.map((words) => errorAt(id.at, [], orIncomplete(words))) };
  }
  const others = [...missing, ...warnings].flatMap((words) => warningAt(id, words));
  return { client, faults: [...short, ...others] };
}

function rowFaults(row: ImportRow, { programme }: ImportRules): readonly Fault[] {
  const { clients, id } = programme;
  const identifierFault = (text: string): string | undefined =>
    clients.isIdentifier(text)
      ? undefined
      : `is no identifier of ${id}: expected ${clients.identifierForm}`;
  return [
    ...faultsIn(row, 'client_id', identifierFault, true),
    ...faultsIn(row, 'client_secret', secretFault),
    ...faultsIn(row, 'api_key', apiKeyFault),
    ...faultsIn(row, 'name', nameFault),
    ...redirectFaults(row),
    ...faultsIn(row, 'roles', roleFault, true),
    ...returnFaults(row),
    ...faultsIn(row, 'business_context', businessContextFault),
    ...faultsIn(row, 'partner_id', partnerIdFault),
    ...throttleFaults(row),
    ...[...row.properties].flatMap(([name, value]) =>
      faultsOf(value, `the property ${quote(name)}`, propertyValueFault),
    ),
  ];
}

/** One that stands among the insecure ones has been told to be so; it need not stand there alone. */
function redirectFaults(row: ImportRow): readonly Fault[] {
  const insecure = row.values.get('insecure_redirect_uris') ?? [];
  const rule = (text: string): string | undefined =>
    insecure.some((other) => other.text === text) ? undefined : redirectUriFault(text);
  return [
    ...faultsIn(row, 'redirect_uris', rule, true),
    ...faultsIn(row, 'insecure_redirect_uris', (text) => redirectUriFault(text, true), true),
  ];
}

type Rule = (text: string) => string | undefined;

/** `quoted` adds the value to the message; never for what is secret. */
function faultsIn(
  row: ImportRow,
  field: ImportField,
  rule: Rule,
  quoted = false,
): readonly Fault[] {
  const values = row.values.get(field) ?? [];
  return values.flatMap((value) =>
    faultsOf(value, quoted ? `${field}: ${quote(value.text)}` : field, rule),
  );
}

function faultsOf({ text, at }: ImportValue, what: string, rule: Rule): readonly Fault[] {
  const reason = rule(text);
  return reason === undefined ? [] : [errorAt(at, [], `${what} ${reason}`)];
}

function roleFault(text: string): string | undefined {
  return isRole(text) ? undefined : `is no role (${nameHint(text, roles)})`;
}

function isRole(text: string): text is Role {
  return roles.some((role) => role === text);
}

function returnFaults(row: ImportRow): readonly Fault[] {
  const member = row.values.get('roles')?.find(({ text }) => text === 'member');
  const uri = one(row, 'redirect_uris') ?? one(row, 'insecure_redirect_uris');
  if (member === undefined || uri !== undefined) return [];
  const message = 'the role member needs redirect_uris, where members return to after a login';
  return [errorAt(member.at, ['roles'], message)];
}

function throttleFaults(row: ImportRow): readonly Fault[] {
  const [limit, window] = [one(row, 'throttle_limit'), one(row, 'throttle_window')];
  const either = limit ?? window;
  if (either === undefined) return [];
  if (limit === undefined || window === undefined) {
    return [errorAt(either.at, ['throttle'], "a throttle's limit and window go together")];
  }
  const throttle = readThrottle(limit.text, window.text);
  if (!('part' in throttle)) return [];
  const { at } = throttle.part === 'limit' ? limit : window;
  return [errorAt(at, ['throttle'], `the throttle's ${throttle.part} ${throttle.reason}`)];
}

function fieldsOf(row: ImportRow): ClientFields {
  const [businessContext, partnerId] = [one(row, 'business_context'), one(row, 'partner_id')];
  const throttle = throttleOf(row);
  const all = (field: ImportField): readonly string[] => [
    ...new Set((row.values.get(field) ?? []).map(({ text }) => text)),
  ];
  return {
    name: one(row, 'name')?.text ?? '',
    roles: all('roles').filter(isRole),
    redirectUris: [...new Set([...all('redirect_uris'), ...all('insecure_redirect_uris')])],
    properties: Object.fromEntries([...row.properties].map(([name, { text }]) => [name, text])),
    ...(businessContext === undefined ? {} : { businessContext: businessContext.text }),
    ...(partnerId === undefined ? {} : { partnerId: partnerId.text }),
    ...(throttle === undefined ? {} : { throttle }),
  };
}

function throttleOf(row: ImportRow): ThrottleLimit | undefined {
  const [limit, window] = [one(row, 'throttle_limit'), one(row, 'throttle_window')];
  if (limit === undefined || window === undefined) return undefined;
  const throttle = readThrottle(limit.text, window.text);
  return 'part' in throttle ? undefined : throttle;
}

function one(row: ImportRow, field: ImportField): ImportValue | undefined {
  return row.values.get(field)?.[0];
}

function warningAt({ at }: ImportValue, message: string | undefined): readonly Fault[] {
  return message === undefined ? [] : [{ severity: 'warning', at, path: '', message }];
}
