// Owns the cookies of token responses.

import type { Cookies } from '../../language/tokens/cookie_schema.ts';
import type { FieldTree } from '../../language/value_tree.ts';
import { compileTexts, type Values, type WritingRules } from './tree_writer.ts';

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
  return (values) =>
    Object.entries(write(values)).map(([name, text]) => {
      const { path = '/', max_age, http_only, secure, same_site } = cookies[name] ?? {};
      const kept = max_age === undefined ? undefined : values[max_age];
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
