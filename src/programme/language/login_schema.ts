// Owns what a file may say of the login page: its texts in each language, its links and its brand.

import * as v from 'valibot';

import type { Milliseconds } from '../../lib/clock.ts';
import { languageTagForm } from '../../lib/language.ts';
import { type LoginFailureReason, loginFailureReasons } from '../../oauth/failure.ts';
import { lifetimeSchema, textSchema } from '../../schema/scalars.ts';
import { type ColoursDefinition, coloursSchema } from '../login/colours.ts';
import {
  type FailureLimitDefinition,
  failureLimitSchema,
  type LockoutDefinition,
  lockoutSchema,
} from './failure_limit.ts';
import { type PageText, pageSchema, pageTextSchema } from './page_text.ts';

/** Pages of the login itself, whatever the dialect. */
const ownPageNames = [
  'expired',
  'damaged',
  'other_browser',
  'forged',
  'not_found',
  'wrong_method',
] as const;
export type OwnPageName = (typeof ownPageNames)[number];

/** Where a page can link to, each with a label of the same name. */
export const linkNames = ['website', 'help', 'privacy', 'terms', 'imprint'] as const;
export type LinkName = (typeof linkNames)[number];

export interface LoginMessages {
  readonly not_recognised: string;
  readonly difficulties: string;
  readonly username_blank: string;
  readonly password_blank: string;
  readonly too_many_attempts: string;
}

/** The small texts of the form. */
export interface LoginLabels {
  readonly username: string;
  readonly password: string;
  readonly log_in: string;
  readonly show_password: string;
  /** Begins the title of a page that tells of an error. */
  readonly error: string;
  readonly help: string;
  readonly website: string;
  readonly privacy: string;
  readonly terms: string;
  readonly imprint: string;
  /** Heading of a page that says that nobody, or nobody from there, can log in for now. */
  readonly unavailable: string;
  /** In front of the reference that a page gives. */
  readonly reference: string;
  /** `{partner}` stands for the partner's name. */
  readonly continue_to: string;
}

/** All texts of the login page. */
interface TextsDefinition {
  readonly title: string;
  readonly messages: LoginMessages;
  readonly labels: LoginLabels;
  readonly pages: Readonly<Record<OwnPageName, PageText>>;
}

export type LinksDefinition = Readonly<Partial<Record<LinkName, string>>>;

/** The texts in one more language, those of failures with them; a link left out is the usual one. */
export interface LanguageDefinition extends TextsDefinition, LinksDefinition {
  readonly pages: TextsDefinition['pages'] & {
    /** Stands for each failure of the login request that has no text of its own here. */
    readonly failed: PageText;
  };
  readonly failures: Readonly<Partial<Record<LoginFailureReason, PageText>>>;
}

export interface LoginDefinition extends TextsDefinition, LinksDefinition {
  /** How long a member may take to log in. */
  readonly lifetime: Milliseconds;
  /** When a username is locked, and for how long. */
  readonly lockout: 'off' | LockoutDefinition;
  /** How many failed logins one address may have in a window of time. */
  readonly address_limit: FailureLimitDefinition;
  /** Language of the texts that stand here and in `authorize.failures`. */
  readonly language: string;
  /** Language for browsers that ask for none of those there are. */
  readonly default_language?: string;
  readonly languages: Readonly<Record<string, LanguageDefinition>>;
  /** Whether the page offers its other languages. */
  readonly language_switch: boolean;
  /** A file beside the programme's. */
  readonly logo?: string;
  readonly colours: ColoursDefinition;
  /** Partners' brands, by what the login request calls them (P-3). */
  readonly brands: Readonly<Record<string, BrandDefinition>>;
}

/** How a partner wants to be shown. */
export interface BrandDefinition {
  readonly name: string;
  readonly logo?: string;
}

const partnerTextSchema = v.pipe(
  textSchema,
  v.regex(
    /^(?:[^{}]|\{programme\})*\{partner\}(?:[^{}]|\{programme\})*$/,
    'expected {partner} once, where the name of the partner goes',
  ),
);

const messagesSchema: v.GenericSchema<unknown, LoginMessages> = v.pipe(
  v.strictObject({
    not_recognised: pageTextSchema,
    difficulties: pageTextSchema,
    username_blank: pageTextSchema,
    password_blank: pageTextSchema,
    too_many_attempts: pageTextSchema,
  }),
  v.title('login messages'),
);

const labelsSchema: v.GenericSchema<unknown, LoginLabels> = v.pipe(
  v.strictObject({
    username: pageTextSchema,
    password: pageTextSchema,
    log_in: pageTextSchema,
    show_password: pageTextSchema,
    error: pageTextSchema,
    help: pageTextSchema,
    website: pageTextSchema,
    privacy: pageTextSchema,
    terms: pageTextSchema,
    imprint: pageTextSchema,
    unavailable: pageTextSchema,
    reference: pageTextSchema,
    continue_to: partnerTextSchema,
  }),
  v.title('login labels'),
);

const ownPages = Object.fromEntries(ownPageNames.map((name) => [name, pageSchema])) as Record<
  OwnPageName,
  typeof pageSchema
>;

const failurePages = Object.fromEntries(
  loginFailureReasons.map((reason) => [reason, v.exactOptional(pageSchema)]),
) as Record<LoginFailureReason, v.ExactOptionalSchema<typeof pageSchema, undefined>>;

const linkSchema: v.GenericSchema<unknown, string> = v.pipe(
  v.string(),
  v.regex(/^https:\/\/[!-~]+$/, 'expected an https:// address'),
);

const linkEntries = Object.fromEntries(
  linkNames.map((name) => [name, v.exactOptional(linkSchema)]),
) as Record<LinkName, v.ExactOptionalSchema<typeof linkSchema, undefined>>;

const languageSchema: v.GenericSchema<unknown, LanguageDefinition> = v.pipe(
  v.strictObject({
    title: pageTextSchema,
    ...linkEntries,
    messages: messagesSchema,
    labels: labelsSchema,
    pages: v.strictObject({ ...ownPages, failed: pageSchema }),
    failures: v.optional(v.strictObject(failurePages), {}),
  }),
  v.title('language'),
);

const languageTagSchema: v.GenericSchema<string, string> = v.pipe(
  v.string(),
  v.regex(languageTagForm, 'expected a language tag such as fr or pt-BR'),
  v.title('language tag'),
);

const logoNameSchema: v.GenericSchema<string, string> = v.pipe(
  v.string(),
  v.regex(
    /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]{0,60}\/){0,3}[A-Za-z0-9_-][A-Za-z0-9._-]{0,60}\.(?:svg|png)$/,
    'expected the name of an SVG or PNG file beside this one, such as club.svg',
  ),
  v.title('logo'),
);

const brandNameSchema: v.GenericSchema<string, string> = v.pipe(
  v.string(),
  v.regex(/^[!-~]{1,50}$/, 'expected a brand as login requests name it, 1 to 50 characters'),
  v.title('brand name'),
);

const brandSchema: v.GenericSchema<unknown, BrandDefinition> = v.pipe(
  v.strictObject({ name: textSchema, logo: v.exactOptional(logoNameSchema) }),
  v.title('brand'),
);

export const loginSchema: v.GenericSchema<unknown, LoginDefinition> = v.strictObject({
  lifetime: lifetimeSchema,
  title: pageTextSchema,
  ...linkEntries,
  lockout: lockoutSchema,
  address_limit: failureLimitSchema(500, '15m'),
  messages: messagesSchema,
  labels: labelsSchema,
  pages: v.strictObject(ownPages),
  language: v.optional(languageTagSchema, 'en'),
  default_language: v.exactOptional(languageTagSchema),
  languages: v.optional(v.record(languageTagSchema, languageSchema), {}),
  language_switch: v.optional(v.boolean(), false),
  logo: v.exactOptional(logoNameSchema),
  colours: v.optional(coloursSchema, {}),
  brands: v.optional(v.record(brandNameSchema, brandSchema), {}),
});
