// Owns the compiled texts of the login page, in each of its languages.

import { chooseLanguage, directionOf } from '../../lib/language.ts';
import { present } from '../../lib/present.ts';
import { type LoginFailureReason, loginFailureReasons } from '../../oauth/failure.ts';
import type { Definition } from '../language/definition.ts';
import {
  type LanguageDefinition,
  linkNames,
  type LinksDefinition,
  type LoginLabels,
  type LoginMessages,
  type OwnPageName,
  type PageText,
} from '../language/page_schema.ts';

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
  texts: LanguageDefinition,
  programme: string,
): Omit<LoginTexts, 'links'> {
  // A function, because `replaceAll` would interpret `$&` in a name.
  const named = (text: string): string => text.replaceAll('{programme}', () => programme);
  const page = ({ title, text }: PageText): PageText => ({
    title: named(title),
    text: named(text),
  });
  const { continue_to: continueTo, ...labels } = texts.labels;
  const [before = '', after = ''] = continueTo.split('{partner}').map(named);
  const { messages } = texts;
  const { failed, ...others } = texts.pages;
  const ownPages = mapValues(others, page);
  const title = labels.unavailable;
  const difficulties = page({ title, text: messages.difficulties });
  const failures = loginFailureReasons.map((reason) => {
    const usual = isOurs(reason) ? difficulties : page(failed);
    const own = texts.failures[reason];
    return [reason, own === undefined ? usual : page(own)];
  });
  return {
    language,
    direction: directionOf(language) ?? 'ltr',
    title: named(texts.title),
    messages: mapValues(messages, named),
    labels: mapValues(labels, named),
    continueTo: [before, after],
    pages: {
      ...(Object.fromEntries(failures) as Record<LoginFailureReason, PageText>),
      difficulties,
      too_many_attempts: page({ title, text: messages.too_many_attempts }),
      ...ownPages,
    },
  };
}

/** Whether Jetway caused the failure, not the request. */
function isOurs(reason: LoginFailureReason): boolean {
  return reason === 'server_error' || reason === 'temporarily_unavailable';
}

function mapValues<Value, Values extends Readonly<Record<keyof Values, Value>>>(
  values: Values,
  change: (value: Value) => Value,
): Values {
  const entries = Object.entries(values as Readonly<Record<string, Value>>);
  return Object.fromEntries(entries.map(([key, value]) => [key, change(value)])) as Values;
}
