// Owns faults that the tokens of a YAML text show before nodes are built: features that are not read
// (anchors, aliases, tags, directives), and quotes and brackets that are not closed.

import type { Fault } from '../fault.ts';
import { errorAtOffset, type YamlSource } from './source.ts';

/** The findings of a walk over the tokens so far. */
export interface Survey {
  readonly source: YamlSource;
  readonly faults: Fault[];
  /** From this offset on the structure is a guess. */
  unreliableFrom: number | undefined;
}

/** The properties of a parser's token that are used here. */
export interface SurveyedToken {
  readonly type: string;
  readonly offset: number;
  readonly source?: string;
  readonly start?: SurveyedToken | readonly SurveyedToken[];
  readonly value?: SurveyedToken;
  readonly props?: readonly SurveyedToken[];
  readonly items?: readonly SurveyedItem[];
  readonly end?: readonly SurveyedToken[];
}

interface SurveyedItem {
  readonly start: readonly SurveyedToken[];
  readonly key?: SurveyedToken | null;
  readonly sep?: readonly SurveyedToken[];
  readonly value?: SurveyedToken;
}

const closedText: Readonly<Record<string, RegExp>> = {
  'single-quoted-scalar': /^'(?:[^']|'')*'$/,
  'double-quoted-scalar': /^"(?:[^"\\]|\\[^])*"$/,
};

/** Adds the faults of a token and all within it; a loop, since recursion could run deep. */
export function surveyToken(survey: Survey, root: SurveyedToken): void {
  const pending: SurveyedToken[] = [root];
  for (let token = pending.pop(); token !== undefined; token = pending.pop()) {
    surveyOne(survey, token);
    for (const part of partsOf(token)) pending.push(part);
  }
}

function* partsOf(token: SurveyedToken): Generator<SurveyedToken> {
  if (Array.isArray(token.start)) yield* token.start;
  if (token.props !== undefined) yield* token.props;
  if (token.value !== undefined) yield token.value;
  for (const { start, key, sep, value } of token.items ?? []) {
    yield* start;
    if (key !== undefined && key !== null) yield key;
    if (sep !== undefined) yield* sep;
    if (value !== undefined) yield value;
  }
}

function surveyOne(survey: Survey, token: SurveyedToken): void {
  const text = token.source ?? '';
  const add = (message: string, hint?: string): void => {
    survey.faults.push(errorAtOffset(survey.source, token.offset, [], message, hint));
  };
  const breakOff = (): void => {
    const known = survey.unreliableFrom ?? Number.POSITIVE_INFINITY;
    survey.unreliableFrom = Math.min(known, token.offset);
  };
  switch (token.type) {
    case 'anchor':
      return add('anchors (&name) are not read', 'if this is text, put it in quotes');
    case 'tag':
      return add('tags (!name) are not read', 'if this is text, put it in quotes');
    case 'alias':
      breakOff();
      return add('aliases (*name) are not read', 'write the value out, or quote it if it is text');
    case 'directive':
      breakOff();
      return add('directives (%NAME) are not read', 'remove the line');
    case 'single-quoted-scalar':
    case 'double-quoted-scalar':
      if (closedText[token.type]?.test(text) === true) return;
      breakOff();
      return add(`the quote opened here with ${text.slice(0, 1)} is not closed`);
    case 'flow-collection': {
      const opening = (token.start as SurveyedToken).source;
      if (token.end?.[0]?.source === (opening === '{' ? '}' : ']')) return;
      breakOff();
      return add(`the ${opening} opened here is not closed, or its lines are not indented`);
    }
  }
}
