// Owns the rows of the selector on a path that several programmes share.

import type { Programme } from '../../programme/programme.ts';
import { type Row, text } from './rows.ts';

export function selectorRows({ selectors, identifier }: Programme, path: string): readonly Row[] {
  const selector = selectors.get(path);
  if (selector === undefined) return [];
  const { inHeader, wireName, scheme, isDefault } = selector;
  const place = `${inHeader ? 'header' : 'query parameter'} ${wireName}`;
  const value = scheme === undefined ? `"${identifier}"` : `"${scheme} ${identifier}"`;
  const otherwise = isDefault ? '; also answers requests that name no programme' : '';
  return [text('chosen by', `${place}: ${value}${otherwise}`)];
}
