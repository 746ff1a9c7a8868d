// Owns the compiled texts of the login page, in each of its languages.

import type { Definition } from '../../language/definition.ts';
import {
  type LanguageDefinition,
  linkNames,
  type LinksDefinition,
  type LoginLabels,
  type LoginMessages,
  type OwnPageName,
  type PageText,
} from '../../language/page_schema.ts';
import { chooseLanguage, directionOf } from '../../lib/language.ts';
import { present } from '../../lib/present.ts';
import { type LoginFailureReason, loginFailureReasons } from '../../oauth/login_reasons.ts';

/** Pages that replace the form: the login's own, and one for each failure of a login request. */
export type LoginPageName = OwnPageName | 'difficulties' | 'too_many_attempts' | LoginFailureReason;

export interface LoginTexts {
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly title: string;
  readonly links: LinksDefinition;
  readonly messages: LoginMessages;
  readonly labels: Omit<LoginLabels, 'continue_to'>;
  /** The texts before and after the partner's name. */
  readonly continueTo: readonly [before: string, after: string];
  readonly pages: Readonly<Record<LoginPageName, PageText>>;
}

export interface LoginLanguages {
  /** The tags of all languages, the file's own first. */
  readonly tags: readonly string[];
  /** The tags of the page's menu: empty if there is only one language. */
  readonly offered: readonly string[];
  /** The language for the requested tags, best first; undefined if none fits. */
  readonly choose: (asked: readonly string[]) => string | undefined;
  /** The texts of a language, or of the programme's default. */
  readonly texts: (language: string | undefined) => LoginTexts;
}

export function compileLanguages(definition: Definition): LoginLanguages {
  const { login, name } = definition;
  const all = [
    [login.language, ownLanguage(definition)],
    ...Object.entries(login.languages),
  ] as const;
  const byTag = new Map(
    all.map(([tag, texts]) => {
      const links = { ...linksOf(login), ...linksOf(texts) };
      return [tag, { ...compileTexts(tag, texts, name), links }];
    }),
  );
  const tags = [...byTag.keys()];
  const standard = byTag.get(login.default_language ?? login.language);
  if (standard === undefined) throw new Error(`there are no texts in ${login.default_language}`);
  return {
    tags,
    offered: login.language_switch && tags.length > 1 ? tags : [],
    choose: (asked) => chooseLanguage(asked, tags),
    texts: (language) => (language === undefined ? standard : (byTag.get(language) ?? standard)),
  };
}

function linksOf(definition: LinksDefinition): LinksDefinition {
  return present(Object.fromEntries(linkNames.map((name) => [name, definition[name]])));
}

const languageNames = new Map<string, string>();

/** A language's name in that language. The first name loads ICU's tables: 20 ms and 2 MB. */
export function languageName(tag: string): string {
  const known = languageNames.get(tag);
  if (known !== undefined) return known;
  const plain = new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag;
  const name = plain.charAt(0).toLocaleUpperCase(tag) + plain.slice(1);
  languageNames.set(tag, name);
  return name;
}

/** The file's own texts in the form of a further language, with the texts of failures. */
function ownLanguage({ login, authorize }: Definition): LanguageDefinition {
  const told = loginFailureReasons.flatMap((reason) => {
    const failure = authorize.failures[reason];
    return 'page' in failure ? [[reason, failure.page] as const] : [];
  });
  const { title, messages, labels, pages } = login;
  const failed = { title: labels.unavailable, text: messages.difficulties };
  const failures = Object.fromEntries(told);
  return { title, messages, labels, pages: { ...pages, failed }, failures };
}

function compileTexts(
  language: string,
  written: LanguageDefinition,
  programme: string,
): Omit<LoginTexts, 'links'> {
  // A function, because `replaceAll` would interpret `$&` in a name.
  const named = (text: string): string => text.replaceAll('{programme}', () => programme);
  const { title, messages, labels, pages, failures } = mapTexts(written, named);
  const { continue_to: _, ...otherLabels } = labels;
  const [before = '', after = ''] = written.labels.continue_to.split('{partner}').map(named);
  const { failed, ...ownPages } = pages;
  const difficulties = { title: labels.unavailable, text: messages.difficulties };
  const failurePages = loginFailureReasons.map((reason) => {
    const usual = isOurs(reason) ? difficulties : failed;
    return [reason, failures[reason] ?? usual];
  });
  return {
    language,
    direction: directionOf(language) ?? 'ltr',
    title,
    messages,
    labels: otherLabels,
    continueTo: [before, after],
    pages: {
      ...(Object.fromEntries(failurePages) as Record<LoginFailureReason, PageText>),
      difficulties,
      too_many_attempts: { title: labels.unavailable, text: messages.too_many_attempts },
      ...ownPages,
      finished: ownPages.finished ?? ownPages.expired,
    },
  };
}

/** Whether Jetway caused the failure, not the request. */
function isOurs(reason: LoginFailureReason): boolean {
  return reason === 'server_error' || reason === 'temporarily_unavailable';
}

/** The same object with every text in it changed, at any depth. */
function mapTexts<Texts extends object>(texts: Texts, change: (text: string) => string): Texts {
  const entries = Object.entries(texts as Readonly<Record<string, string | object>>);
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      typeof value === 'string' ? change(value) : mapTexts(value, change),
    ]),
  ) as Texts;
}
