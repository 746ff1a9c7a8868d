// Owns the schema of one language's texts: the login page and the pages that replace its form.

import * as v from 'valibot';

import { loginReasons } from '../oauth/login_reasons.ts';
import { isOptional } from '../schema/keys.ts';
import { key, listed, named, type Output } from '../schema/notes.ts';
import { matching, textSchema } from '../schema/scalars.ts';

/** Page text, in which `{programme}` stands for the programme's name. */
export const pageTextSchema = v.pipe(
  textSchema,
  v.regex(
    /^(?:[^{}]|\{programme\})*$/,
    'the only name in braces that a text of the page can hold is {programme}',
  ),
);

const partnerTextSchema = v.pipe(
  textSchema,
  v.regex(
    /^(?:[^{}]|\{programme\})*\{partner\}(?:[^{}]|\{programme\})*$/,
    'expected {partner} once, where the name of the partner goes',
  ),
);

/** Title and sentence of a page that replaces the form. */
export const pageSchema = v.pipe(
  v.strictObject({
    title: key(pageTextSchema, { text: 'Heading and title of the page.', example: 'Too late' }),
    text: key(pageTextSchema, {
      text: 'The sentence below the heading. It is shown as text, so markup has no meaning in it.',
      example: 'Please start again.',
    }),
  }),
  named('page text'),
);

export const messagesSchema = v.pipe(
  v.strictObject({
    not_recognised: key(pageTextSchema, {
      text: 'For an unknown username, a wrong password, and a disabled or locked account. It is one text for all, so that nobody learns which it was.',
      example: 'These details are not right. Please try again.',
    }),
    difficulties: key(pageTextSchema, {
      text: 'If the service or its directory cannot answer at the moment.',
      example: 'Please try again in a few minutes.',
    }),
    username_blank: key(pageTextSchema, {
      text: 'If no username was typed. If both are blank, the page shows both messages.',
      example: 'Please enter your membership number.',
    }),
    password_blank: key(pageTextSchema, {
      text: 'If no password was typed.',
      example: 'Please enter your PIN.',
    }),
    too_many_attempts: key(pageTextSchema, {
      text: 'The page of an address with too many failed logins (`login.address_limit`).',
      example: 'Too many attempts. Please try again in a quarter of an hour.',
    }),
  }),
  named('login messages'),
);

export const labelsSchema = v.pipe(
  v.strictObject({
    username: key(pageTextSchema, {
      text: 'Above the field of the username.',
      example: 'Membership number',
    }),
    password: key(pageTextSchema, { text: 'Above the field of the password.', example: 'PIN' }),
    log_in: key(pageTextSchema, { text: 'On the button.', example: 'Sign in' }),
    show_password: key(pageTextSchema, {
      text: 'Name of the button that shows what was typed. The button is there if scripts run.',
      example: 'Show PIN',
    }),
    error: key(pageTextSchema, {
      text: "The beginning of the title in the browser's tab, if the form is shown again with a message.",
      example: '"Problem:"',
    }),
    help: key(pageTextSchema, { text: 'The link to `login.help`.', example: 'Lost your PIN?' }),
    website: key(pageTextSchema, {
      text: 'The link to `login.website`.',
      example: '"{programme} on the web"',
    }),
    privacy: key(pageTextSchema, { text: 'The link to `login.privacy`.', example: 'Your data' }),
    terms: key(pageTextSchema, { text: 'The link to `login.terms`.', example: 'Conditions' }),
    imprint: key(pageTextSchema, { text: 'The link to `login.imprint`.', example: 'Legal notice' }),
    unavailable: key(pageTextSchema, {
      text: 'Heading of the pages that say `difficulties` or `too_many_attempts` in place of the form.',
      example: 'Please come back later',
    }),
    reference: key(pageTextSchema, {
      text: 'Stands in front of the reference on a page that ends a login. The reference is the id of the request, in the log `request_id`.',
      example: '"Reference:"',
    }),
    continue_to: key(partnerTextSchema, {
      text: "Below the heading. `{partner}` stands for the partner's name.",
      example: '"and go on to {partner}"',
    }),
  }),
  named('login labels'),
);

/** Pages of Jetway's own login, the same in every dialect. */
export const ownPagesSchema = v.strictObject({
  expired: key(pageSchema, {
    text: 'The login took longer than `lifetime`, is over, or never was.',
    example: '{ title: Too late }',
  }),
  damaged: key(pageSchema, {
    text: "The page's address or its form holds no login of this programme.",
    example: '{ title: Something is missing }',
  }),
  other_browser: key(pageSchema, {
    text: 'The cookie of the login did not come: the login began in another browser, or this browser takes no cookies.',
    example: '{ title: Cookies are needed }',
  }),
  finished: key(v.exactOptional(pageSchema), {
    text: 'The member has logged in here already, and came back to the page. The page links to the site of the partner.',
    example: '{ title: You are logged in }',
    otherwise: 'the texts of `expired`',
  }),
  forged: key(pageSchema, {
    text: 'The form did not come from the page.',
    example: '{ title: This form is not ours }',
  }),
  not_found: key(pageSchema, {
    text: "What a browser gets below the programme's path if there is nothing (404). A caller that does not ask for `text/html` gets JSON.",
    example: '{ title: Nothing here }',
  }),
  wrong_method: key(pageSchema, {
    text: 'What a browser gets at a path of the login that does not answer its method (405). That happens if somebody types the address of a login request that must be a POST.',
    example: '{ title: Please start at your partner }',
  }),
});

/** A missing link of a language is the usual link. */
const linkSchema = v.exactOptional(matching(/^https:\/\/[!-~]+$/, 'expected an https:// address'));

function link(text: string, path: string): typeof linkSchema {
  return key(linkSchema, {
    text,
    example: `https://www.example.com/${path}`,
    otherwise: 'no link',
  });
}

/** Links of the page; each has a label of the same name. */
export const linkEntries = {
  website: link(
    "Address of the programme's own website. The page links to it, since members may have to update their details there (P-13).",
    '',
  ),
  help: link(
    'Address of a page for members who have forgotten their username or password. The login page links to it.',
    'forgotten',
  ),
  privacy: link(
    'Address of the privacy notice. Every page of the login links to it at its foot.',
    'privacy',
  ),
  terms: link('Address of the terms. Every page links to it, as to `login.privacy`.', 'terms'),
  imprint: link(
    'Address of the imprint. Every page links to it, as to `login.privacy`.',
    'imprint',
  ),
};
export type LinkName = keyof typeof linkEntries;
export const linkNames = Object.keys(linkEntries) as readonly LinkName[];

/** The same keys for another language; each text and default refers to the key below `path`. */
function translated<Entries extends Readonly<Record<string, v.GenericSchema>>>(
  path: string,
  entries: Entries,
  examples: Readonly<Record<keyof Entries, string>>,
): Entries {
  const keys = Object.entries(entries).map(([name, entry]) => {
    const origin = `\`${path}.${name}\``;
    const told = { text: `As ${origin}.`, example: examples[name] ?? '' };
    return [name, key(entry, isOptional(entry) ? { ...told, otherwise: origin } : told)];
  });
  return Object.fromEntries(keys) as Entries;
}

const texts = {
  title: pageTextSchema,
  ...linkEntries,
  messages: messagesSchema,
  labels: labelsSchema,
} as const;

const textsOfLanguage = translated('login', texts, {
  title: 'Bienvenue',
  website: 'https://www.example.com/fr/',
  help: 'https://www.example.com/fr/oubli',
  privacy: 'https://www.example.com/fr/confidentialite',
  terms: 'https://www.example.com/fr/conditions',
  imprint: 'https://www.example.com/fr/mentions-legales',
  messages: '{ difficulties: Veuillez patienter. }',
  labels: '{ log_in: Entrer }',
});

const pagesOfLanguage = translated('login.pages', ownPagesSchema.entries, {
  expired: '{ title: Trop tard }',
  damaged: '{ title: Abîmé }',
  other_browser: '{ title: Cookies requis }',
  finished: '{ title: Terminé }',
  forged: '{ title: Refusé }',
  not_found: '{ title: Introuvable }',
  wrong_method: '{ title: Impossible ainsi }',
});

const failurePages = listed(loginReasons, () => v.exactOptional(pageSchema));

/** All texts in a further language, those of failures included. */
export const languageSchema = v.pipe(
  v.strictObject({
    ...textsOfLanguage,
    pages: key(
      v.strictObject({
        ...pagesOfLanguage,
        failed: key(pageSchema, {
          text: 'For a failure of a login request that is a page in `authorize.failures` and has no text under `failures`.',
          example: '{ title: Impossible }',
        }),
      }),
      {
        text: 'As `login.pages`, and one page more.',
        example: '{ expired: { title: Trop tard } }',
      },
    ),
    failures: key(v.optional(v.strictObject(failurePages), {}), {
      text: 'What the pages of `authorize.failures` say in this language, by failure.',
      example: '{ unknown_client: { title: Inconnu } }',
    }),
  }),
  named('language'),
);

export type PageText = Output<typeof pageSchema>;
export type LanguageDefinition = Output<typeof languageSchema>;
export type LinksDefinition = Pick<LanguageDefinition, LinkName>;
export type LoginMessages = LanguageDefinition['messages'];
export type LoginLabels = LanguageDefinition['labels'];
export type OwnPageName = keyof typeof ownPagesSchema.entries;
