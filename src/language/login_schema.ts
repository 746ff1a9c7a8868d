// Owns the schema of the login page: limits, texts, languages and look.

import * as v from 'valibot';

import { colourForm } from '../lib/contrast.ts';
import { languageTagForm } from '../lib/language.ts';
import { programmePaths } from '../oauth/own_paths.ts';
import { key, named, type Output } from '../schema/notes.ts';
import { lifetimeSchema, pathSchema, textSchema } from '../schema/scalars.ts';
import {
  labelsSchema,
  languageSchema,
  linkEntries,
  messagesSchema,
  ownPagesSchema,
  pageTextSchema,
} from './page_schema.ts';
import { failureLimitSchema, lockoutSchema, unlimited } from './service_schemas.ts';

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
      text: 'Buttons, links, and the ring around what has focus. Its contrast to the background must be 4.5:1.',
      example: '"#7a2457"',
      otherwise: "Jetway's own blue",
    }),
    accent_text: key(colourSchema, {
      text: 'Text on buttons. Its contrast to the accent must be 4.5:1.',
      example: '"#ffffff"',
      otherwise: 'white if that can be read on the accent, else black',
    }),
    text: key(colourSchema, {
      text: 'All other text. Its contrast to the background must be 4.5:1.',
      example: '"#101010"',
      otherwise: "Jetway's own",
    }),
    background: key(colourSchema, {
      text: 'What text stands on. The surroundings of the card, muted text and the colours of messages follow from it.',
      example: '"#fdfbf7"',
      otherwise: "Jetway's own",
    }),
    border: key(colourSchema, {
      text: 'The line around fields. Its contrast to the background must be 3:1.',
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
    text: "The path of the login page, below the programme's own path. That is its base path; if several programmes share that, the programme's name follows it.",
    example: '/sign-in',
  }),
  lifetime: key(lifetimeSchema, {
    text: 'How long a member may take, from the login request to a correct password. After that the login has expired, and begins anew at the partner.',
    example: '10m',
  }),
  title: key(pageTextSchema, {
    text: 'Heading and title of the page. In this and every text of the page, `{programme}` stands for the `name`.',
    example: 'Log in to Harbour Hotels',
  }),
  ...linkEntries,
  lockout: key(lockoutSchema, {
    text: 'When Jetway locks a username, known or not. After so many failures within the window it refuses every attempt for a while, in the words and the time of a wrong password. Tries during the lock do not prolong it. `jetway member unlock` ends it. A browser in which the member has logged in before has a count of its own, so that strangers cannot lock the member out of it.',
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
      text: "How many failed logins may come from one address (of IPv6, one /64) in a window of time. After that every attempt from there gets a page with status 429 and `Retry-After`, until the window ends. An attempt counts until it has succeeded. A successful login counts nothing and clears nothing. A browser that hangs up while its login waits for its turn counts as a failure. The browsers in which a member has logged in before have a count of their own, which is as large and is for all of them together; after that they are like any other browser. The password grant counts for public clients alone, whose callers are the customers themselves. The customers of another client all have their partner's address: there `login.lockout` and `throttle` hold.",
      example: '{ limit: 100, window: 5m }',
      departs: [unlimited('no_address_limit', 'failed logins from one address')],
    },
  ),
  messages: key(messagesSchema, {
    text: 'What the page says if a login does not succeed. The page is then shown again (G-8, P-13).',
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
    text: 'The language of the texts of `login` and of the pages of `authorize.failures`. If a file says another language than its variant, it must bring all of these texts. For a language that is built in or shipped, use `default_language` and `languages` instead.',
    example: 'en',
  }),
  default_language: key(v.exactOptional(languageTagSchema), {
    text: 'The language for members who ask for no language that is there.',
    example: 'fr',
    otherwise: 'as `language`',
  }),
  languages: key(v.optional(v.record(languageTagSchema, languageSchema), {}), {
    text: 'All texts in further languages, by language tag. A page is in the language that the login request asks for (`ui_locales`), or else in that of the browser (`Accept-Language`). A text that is missing here is a fault. A null removes a language that the variant has.',
    example: '{ fr: { title: "Bienvenue chez {programme}" } }',
  }),
  language_switch: key(v.optional(v.boolean(), false), {
    text: 'Whether the login page offers its other languages, if it has any. What a member chooses lasts to the end of the login.',
    example: 'true',
  }),
  logo: key(v.exactOptional(logoNameSchema), {
    text: "The programme's logo: an SVG or PNG file beside the programme file, of at most 10000 bytes. An SVG holds no script and loads nothing. On dark pages the logo stands on light paper, unless it is an SVG that changes its colours itself (`@media (prefers-color-scheme: dark)`).",
    example: 'harbour.svg',
    otherwise: 'no logo',
  }),
  colours: key(v.optional(coloursSchema, {}), {
    text: 'Colours of the page by day and by night. Colours that are hard to read do not load (WCAG 2.2 1.4.3 and 1.4.11). The fault names the nearest that would do.',
    example: '{ light: { accent: "#7a2457" }, dark: { accent: "#f0a8d0" } }',
  }),
  brands: key(v.optional(v.record(brandNameSchema, brandSchema), {}), {
    text: 'How partners are shown, by the brand that the input `brand` of the login request names (P-3). If that brand is not here, or none is named, the page shows the name of the client.',
    example: '{ Harbour: { name: Harbour Hotels, logo: harbour.svg } }',
  }),
});

export type LoginDefinition = Output<typeof loginSchema>;
export type LockoutDefinition = Exclude<LoginDefinition['lockout'], 'off'>;
export type ColoursDefinition = LoginDefinition['colours'];
export type SchemeDefinition = Output<typeof colourSchemeSchema>;
