// Owns the schema of the login page: limits, texts, languages and look.

import * as v from 'valibot';

import { colourForm } from '../lib/contrast.ts';
import { languageTagForm } from '../lib/language.ts';
import { programmePaths } from '../oauth/own_paths.ts';
import { key, named, type Output } from '../schema/notes.ts';
import { lifetimeSchema, pathSchema, textSchema } from '../schema/scalars.ts';
import { failureLimitSchema, lockoutSchema, unlimited } from './limits.ts';
import {
  labelsSchema,
  languageSchema,
  linkEntries,
  messagesSchema,
  ownPagesSchema,
  pageTextSchema,
} from './page_schema.ts';

const languageTagSchema = v.pipe(
  v.string(),
  v.regex(languageTagForm, 'expected a language tag such as fr or pt-BR'),
  named('language tag', 'A language as browsers name it: `fr`, `pt-BR` (RFC 5646).'),
);

const logoNameSchema = v.pipe(
  v.string(),
  v.regex(
    /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]{0,60}\/){0,3}[A-Za-z0-9_-][A-Za-z0-9._-]{0,60}\.(?:svg|png)$/,
    'expected the name of an SVG or PNG file beside this one, such as club.svg',
  ),
  named(
    'logo',
    'The name of an SVG or PNG file in the folder of the programme file, or in a folder below it.',
  ),
);

const brandNameSchema = v.pipe(
  v.string(),
  v.regex(/^[!-~]{1,50}$/, 'expected a brand as login requests name it, 1 to 50 characters'),
  named('brand name', 'What login requests call a brand: 1 to 50 visible ASCII characters.'),
);

const brandSchema = v.pipe(
  v.strictObject({
    name: key(textSchema, {
      text: "The partner's name, as members know it.",
      example: 'Harbour Hotels',
    }),
    logo: key(v.exactOptional(logoNameSchema), {
      text: "The partner's logo, beside the programme's; a file as `login.logo`.",
      example: 'harbour.svg',
      otherwise: 'no logo',
    }),
  }),
  named('brand'),
);

const colourSchema = v.exactOptional(
  v.pipe(
    v.string(),
    v.regex(colourForm, 'expected a colour in quotes, such as "#0b4f8a"'),
    named('colour', 'A colour in quotes, as `"#0b4f8a"`.'),
  ),
);

const colourSchemeSchema = v.pipe(
  v.strictObject({
    accent: key(colourSchema, {
      text: 'Buttons, links, and the ring around what has focus. Must have a contrast of 4.5:1 to the background.',
      example: '"#7a2457"',
      otherwise: "Jetway's own blue",
    }),
    accent_text: key(colourSchema, {
      text: 'Text on buttons; 4.5:1 to the accent.',
      example: '"#ffffff"',
      otherwise: 'white where that can be read on the accent, else black',
    }),
    text: key(colourSchema, {
      text: 'All other text; 4.5:1 to the background.',
      example: '"#101010"',
      otherwise: "Jetway's own",
    }),
    background: key(colourSchema, {
      text: 'What text stands on. The surroundings of the card, muted text and the colours of messages follow from it.',
      example: '"#fdfbf7"',
      otherwise: "Jetway's own",
    }),
    border: key(colourSchema, {
      text: 'Around fields; 3:1 to the background.',
      example: '"#6b6b6b"',
      otherwise: 'halfway from text to background, as far as 3:1 allows',
    }),
  }),
  named('colour scheme'),
);

const coloursSchema = v.strictObject({
  light: key(v.exactOptional(colourSchemeSchema), {
    text: 'For browsers that are set to light.',
    example: '{ accent: "#7a2457" }',
    otherwise: "Jetway's own",
  }),
  dark: key(v.exactOptional(colourSchemeSchema), {
    text: 'For browsers that are set to dark.',
    example: '{ accent: "#f0a8d0" }',
    otherwise: "Jetway's own, with the light accent made light enough",
  }),
});

export const loginSchema = v.strictObject({
  path: key(v.optional(pathSchema, programmePaths.login), {
    text: "The page's own path, below the programme's own: its base path, with its name where that is shared.",
    example: '/sign-in',
  }),
  lifetime: key(lifetimeSchema, {
    text: 'How long a member may take, from the login request to a correct password. After that the login has expired and begins anew at the partner.',
    example: '10m',
  }),
  title: key(pageTextSchema, {
    text: 'Heading and title of the page. In this and every text of the page `{programme}` stands for the `name`.',
    example: 'Log in to Harbour Hotels',
  }),
  ...linkEntries,
  lockout: key(lockoutSchema, {
    text: 'When a username is locked, known or not: after so many failures within the window every attempt is refused for a while, in the words and the time of a wrong password. Tries during the lock do not prolong it; `jetway member unlock` ends it. A browser in which the member has logged in before is counted apart, so that strangers cannot lock the member out of it. In place of a map, `off`.',
    example: '{ attempts: 10, window: 1h, lock: 30m }',
    departs: [unlimited('no_lockout', 'wrong passwords for one username')],
  }),
  address_limit: key(
    failureLimitSchema(500, '15m', {
      limit: { text: 'Failures in one window.', example: '100' },
      window: {
        text: 'Length of the window, from the first failure.',
        example: '5m',
      },
    }),
    {
      text: "How many failed logins may come from one address (of IPv6, one /64) in a window of time; then every attempt from there gets a page with status 429 and `Retry-After` until the window ends. A browser that hangs up while its login waits for its turn counts as a failure; the browsers at which a member has logged in before are not held to it, but have as many failures together, and are like any other browser after that. Attempts under way count until they have succeeded. Successful logins count nothing and clear nothing. The password grant counts for public clients alone, whose callers are the customers themselves; the customers of other clients have their partner's address in common: `login.lockout` holds there, and `throttle`. In place of a map, `off`.",
      example: '{ limit: 100, window: 5m }',
      departs: [unlimited('no_address_limit', 'failed logins from one address')],
    },
  ),
  messages: key(messagesSchema, {
    text: 'What the page says when a login does not succeed; it is then shown again (G-8, P-13).',
    example: '{ username_blank: Please enter your membership number. }',
  }),
  labels: key(labelsSchema, {
    text: 'The words of the form, its button and its links.',
    example: '{ username: Membership number, password: PIN }',
  }),
  pages: key(ownPagesSchema, {
    text: 'Pages of the login itself, in place of the form. The pages of failed login requests stand in `authorize.failures`.',
    example: '{ expired: { title: Too late, text: Please start again. } }',
  }),
  language: key(v.optional(languageTagSchema, 'en'), {
    text: 'The language of the texts of `login` and of the pages of `authorize.failures`. A file that says another language than its variant must bring all of them.',
    example: 'en',
  }),
  default_language: key(v.exactOptional(languageTagSchema), {
    text: 'The language for members who ask for none that is there.',
    example: 'fr',
    otherwise: 'as `language`',
  }),
  languages: key(v.optional(v.record(languageTagSchema, languageSchema), {}), {
    text: 'All texts in further languages, by language tag. A page is in the language that the login request asks for (`ui_locales`), or else the browser (`Accept-Language`). A text that is missing here is a fault; null removes a language that the variant has.',
    example: '{ fr: { title: "Bienvenue chez {programme}" } }',
  }),
  language_switch: key(v.optional(v.boolean(), false), {
    text: 'Whether the login page offers its other languages, where it has any. What a member chooses lasts to the end of the login.',
    example: 'true',
  }),
  logo: key(v.exactOptional(logoNameSchema), {
    text: "The programme's logo: an SVG or PNG file beside the programme file, of at most 10000 bytes. An SVG holds no script and loads nothing. On dark pages it stands on light paper, unless it is an SVG that changes its colours itself (`@media (prefers-color-scheme: dark)`).",
    example: 'harbour.svg',
    otherwise: 'no logo',
  }),
  colours: key(v.optional(coloursSchema, {}), {
    text: 'Colours of the page by day and by night. Those that are hard to read do not load (WCAG 2.2 1.4.3 and 1.4.11); the fault names the nearest that would do.',
    example: '{ light: { accent: "#7a2457" }, dark: { accent: "#f0a8d0" } }',
  }),
  brands: key(v.optional(v.record(brandNameSchema, brandSchema), {}), {
    text: 'How partners are shown, by what the input `brand` of the login request says (P-3). A brand that is not here, or none, is shown by the name of the client.',
    example: '{ Harbour: { name: Harbour Hotels, logo: harbour.svg } }',
  }),
});

export type LoginDefinition = Output<typeof loginSchema>;
export type LockoutDefinition = Exclude<LoginDefinition['lockout'], 'off'>;
export type ColoursDefinition = LoginDefinition['colours'];
export type SchemeDefinition = Output<typeof colourSchemeSchema>;
