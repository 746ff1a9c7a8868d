// Owns the column of a code or login for what few of them have: a member's properties, a request's nonce.

import type { Member } from '../../oauth/member.ts';
import { damaged, textBehindSum, withSum } from './table.ts';

export interface Details extends Pick<Member, 'properties'> {
  readonly nonce?: string;
}

const none: Details = {};

/** The details of a code or login as JSON, behind the sum of that text; null where it has none. */
export function detailsColumn({ properties }: Member, nonce?: string): string | null {
  if (properties === undefined && nonce === undefined) return null;
  return withSum(JSON.stringify({ properties, nonce }));
}

/**
 * The details in a column of `table`.
 * @throws Unavailable for a damaged column
 */
export function detailsOf(table: string, column: string | null): Details {
  if (column === null) return none;
  const json = textBehindSum(column);
  if (json === undefined) throw damaged(table);
  return JSON.parse(json) as Details;
}
