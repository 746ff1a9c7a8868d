// Owns what strangers send to a gateway: forged headers, and targets that can be read in two ways.

import type { Arrived } from './api.ts';

/** What the API believes. */
const names = [
  'X-Auth-Environment',
  'X-Auth-Programme',
  'X-Auth-Kind',
  'X-Auth-Client-Id',
  'X-Auth-Context',
  'X-Auth-Partner-Id',
  'X-Auth-Subject',
  'X-Auth-Membership-Number',
  'X-Auth-Scope',
  'X-Auth-Level',
  'X-Auth-Expires',
] as const;

/** What HTTP allows in a name beside letters, digits and the hyphen. */
const others: readonly string[] = "_ . ! # $ % & ' * + ^ ` | ~".split(' ');

/** Ways to write a name that some server takes for the same. */
const spellings: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toUpperCase(),
  ...others.flatMap((other) => [
    (name: string): string => name.replaceAll('-', () => other),
    (name: string): string => name.replace('-', () => other),
    (name: string): string => name.replace(/-(?=[^-]*$)/, () => other).toLowerCase(),
  ]),
];

/** What a framework that takes all of them for hyphens would make of a request's headers. */
export function believed({ headers }: Arrived): readonly (readonly [string, string])[] {
  return headers
    .map(([name, value]) => [name.replaceAll(/[^0-9a-z]/g, '-'), value] as const)
    .filter(([name]) => name.startsWith('x-auth'));
}

/** Headers of a request, every name in one spelling, once or twice. */
export const forgeries: readonly Readonly<Record<string, string | string[]>>[] = spellings.flatMap(
  (spelling) =>
    ['forged', ['forged', 'again']].map((value) =>
      Object.fromEntries(names.map((name) => [spelling(name), value])),
    ),
);

/** Targets that some server reads as a call which needs less, or none at all. */
export const odd = [
  '//executive-club/membership',
  '/executive-club//membership',
  '/executive-club/./membership',
  '/x/../executive-club/membership',
  '/executive-club/members/../membership',
  '/executive-club/members/..;/membership',
  '/executive-club/members;/../membership',
  '/executive-club/members/..%2fmembership',
  '/executive-club/members/%2e%2e/membership',
  '/executive-club/members%2f..%2fmembership',
  '/executive-club/members/..%252fmembership',
  '/executive-club/members/..%5cmembership',
  '/executive-club/members\\..\\membership',
  '/executive-club/%6dembership',
  '/executive-club/membership%20',
  '/executive-club/membership%0a',
  '/executive-club/membership%00',
  '/executive-club/membership/',
  '/executive-club/membership;jsessionid=1',
  '/executive-club/membership#?',
  '/Executive-Club/membership',
  '/executive-club/MEMBERSHIP',
  '/executive-club/transactions/',
  '/executive-club/transactions/1/2',
  '/executive-club/transactions/..',
  '/fourth-club/membership',
  '/executive-club/verify/member',
  '/_jetway',
  '/_jetway?x',
  '/',
] as const;
