// Owns headers of answers that are made of values: what is left of a client's limit, and cookies.

import type { Cookies } from '../../language/response_headers.ts';
import type { BudgetHeaders, BudgetValue } from '../../language/service_schemas.ts';
import type { FieldTree } from '../../language/value_tree.ts';
import type { Budget } from '../../oauth/client.ts';
import { compileTexts, type Values, type WritingRules } from './tree_writer.ts';

export type BudgetWriter = (budget: Budget) => Readonly<Record<string, string>>;

/** Rounded up: a client that waits for so many seconds finds the next window open. */
function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}

/** `policy` and `state` are Structured Fields (draft-ietf-httpapi-ratelimit-headers-10). */
const values: Readonly<Record<BudgetValue, (budget: Budget) => string | number>> = {
  limit: ({ limit }) => limit.limit,
  window: ({ limit }) => seconds(limit.window),
  remaining: ({ remaining }) => remaining,
  reset_after: ({ resetAfter }) => seconds(resetAfter),
  reset_at: ({ at, resetAfter }) => seconds(at + resetAfter),
  policy: ({ limit }) => `"default";q=${limit.limit};w=${seconds(limit.window)}`,
  state: ({ remaining, resetAfter }) => `"default";r=${remaining};t=${seconds(resetAfter)}`,
};

/** Writes the headers that a file names; undefined where it names none. */
export function compileBudgetHeaders(headers: BudgetHeaders): BudgetWriter | undefined {
  const writers = Object.entries(headers).map(([name, value]) => [name, values[value]] as const);
  if (writers.length === 0) return undefined;
  return (budget) => {
    const written: Record<string, string> = {};
    for (const [name, write] of writers) written[name] = String(write(budget));
    return written;
  };
}

/** The values of cookies, by cookie name. */
export function cookieFields(cookies: Cookies): FieldTree {
  return new Map(Object.entries(cookies).map(([name, { value }]) => [name, value]));
}

/** A function from values to texts for `Set-Cookie`; undefined if a file names no cookie. */
export function compileCookies(
  cookies: Cookies,
  rules: WritingRules,
): ((values: Values) => readonly string[]) | undefined {
  const write = compileTexts(cookieFields(cookies), rules);
  if (write === undefined) return undefined;
  return (known) =>
    Object.entries(write(known)).map(([name, text]) => {
      const { path = '/', max_age, http_only, secure, same_site } = cookies[name] ?? {};
      const kept = max_age === undefined ? undefined : known[max_age];
      const attributes = [
        `Path=${path}`,
        ...(typeof kept === 'number' ? [`Max-Age=${Math.floor(kept / 1000)}`] : []),
        ...(http_only === true ? ['HttpOnly'] : []),
        ...(secure === true ? ['Secure'] : []),
        `SameSite=${same_site ?? 'Strict'}`,
      ];
      return [`${name}=${cookieText(text)}`, ...attributes].join('; ');
    });
}

/** What a cookie cannot hold (RFC 6265 4.1.1) is percent-encoded, as servers read it. */
function cookieText(text: string): string {
  return /^[!#-+\--:<-[\]-~]*$/.test(text) ? text : encodeURIComponent(text.toWellFormed());
}
