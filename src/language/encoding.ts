// Owns the encodings of a body (JSON, form, XML, text), not its fields.

import type { KeyDeparture } from '../schema/notes.ts';
import type { Scalar } from './value_tree.ts';

export const encodings = ['json', 'form', 'xml', 'text'] as const;
export type EncodingName = (typeof encodings)[number];

/**
 * Combines the members of a body. Names are encoded at compile time, not for each answer. No function
 * throws, whatever the value: what the answer rests on is spent by then (HOSTILE 77).
 */
export interface Encoding {
  readonly contentType: string;
  readonly scalar: (value: Scalar) => Scalar;
  /** A text that is a whole number, written as one; as `scalar` if absent. */
  readonly digits?: (text: string) => Scalar;
  /** Takes a member's name at compile time and its encoded value for each answer. */
  readonly member: (name: string) => (value: string) => string;
  /** The same for members that are attributes. */
  readonly attribute?: (name: string) => (value: string) => string;
  readonly object: (members: readonly string[]) => string;
  /** A list in brackets; undefined if the encoding repeats the member for each item. */
  readonly array: ((items: readonly Scalar[]) => string) | undefined;
  readonly document: (body: string) => string;
}

/** What most encodings have in common: a list repeats its member, and nothing stands around it. */
const usual = { array: undefined, document: (body: string): string => body } as const;

const plain = (value: Scalar): string => (value === null ? '' : String(value));

const after =
  (start: string) =>
  (value: string): string =>
    start + value;

const json: Encoding = {
  ...usual,
  contentType: 'application/json',
  // Half a surrogate pair would be escaped, which strict readers refuse (RFC 8259 8.2).
  scalar: (value) => JSON.stringify(typeof value === 'string' ? value.toWellFormed() : value),
  digits: (digits) => digits,
  member: (name) => after(`${JSON.stringify(name)}:`),
  object: (members) => `{${members.join(',')}}`,
  array: (items) => `[${items.join(',')}]`,
};

const form: Encoding = {
  ...usual,
  contentType: 'application/x-www-form-urlencoded',
  scalar: (value) => formEncode(plain(value)),
  member: (name) => after(`${formEncode(name)}=`),
  object: (members) => members.join('&'),
};

/**
 * As browsers encode forms: a space becomes a plus, and the characters of tokens stay as they are.
 */
function formEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('%20', '+');
}

/** The member that is the text of its element, beside attributes. */
export const elementText = '#text';

/**
 * An encoded value is what follows an element's name: its attributes, `>`, its content. Attributes
 * begin with a space, elements with `<`.
 */
const xml: Encoding = {
  ...usual,
  contentType: 'application/xml',
  scalar: (value) => `>${escapeXml(plain(value))}`,
  member: (name) => (value) => {
    if (name === elementText) return value;
    const isEmpty = value.indexOf('>') === value.length - 1;
    return isEmpty ? `<${name}${value.slice(0, -1)}/>` : `<${name}${value}</${name}>`;
  },
  attribute: (name) => (value) => ` ${name}="${escapeSpace(value.slice(1))}"`,
  object: (members) => {
    const content = members.filter((member) => !member.startsWith(' '));
    const attributes = members.filter((member) => member.startsWith(' '));
    const inner = content.map((member) => (member.startsWith('>') ? member.slice(1) : member));
    return `${attributes.join('')}>${inner.join('')}`;
  },
  document: (body) => `<?xml version="1.0" encoding="UTF-8"?>\n${body.slice(1)}`,
};

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** XML 1.0 cannot represent control characters and unpaired surrogates: they become U+FFFD. */
export function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** In an attribute, readers turn plain line breaks and tabs into spaces (XML 1.0 3.3.3). */
function escapeSpace(escaped: string): string {
  return escaped.replaceAll(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

const text: Encoding = {
  ...usual,
  contentType: 'text/plain; charset=utf-8',
  scalar: plain,
  member: () => (value) => value,
  object: (members) => members.join(''),
};

/** Values as they are, from which texts are joined. */
export const unencoded: Encoding = { ...text, scalar: (value) => value };

export const encodingOf: Readonly<Record<EncodingName, Encoding>> = { json, form, xml, text };

/** Adds the Content-Type of the encoding, unless the file sets another one. */
export function withContentType<
  Answer extends { readonly encoding: EncodingName; readonly content_type?: string },
>(answer: Answer): Answer & { readonly content_type: string } {
  return {
    ...answer,
    content_type: answer.content_type ?? encodingOf[answer.encoding].contentType,
  };
}

/** What the page for partners says of the key `before`. */
export function openingWords(answers: string): (before: string) => string {
  return (before) =>
    `${answers} begins with \`${JSON.stringify(before)}\`, written as JSON here. Cut it off before you read the JSON.`;
}

/** Of the key `before`: white space alone is no text (RFC 8259 2). */
export const textBeforeAnswers: KeyDeparture<string> = {
  name: 'text_before_answers',
  isQuiet: true,
  when: (before) => /[^ \t\r\n]/.test(before),
  message: 'a text stands before the JSON of answers (RFC 6749 5.1 and 5.2, RFC 8259 2)',
  hint: 'partners of this programme need the client its document describes, which cuts it off',
};

/** Restricted to the letters that every XML reader accepts; it may have a prefix. */
export function isXmlName(name: string): boolean {
  return /^(?:[A-Za-z_][A-Za-z0-9_.-]*:)?[A-Za-z_][A-Za-z0-9_.-]*$/.test(name);
}
