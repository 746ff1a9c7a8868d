// Owns finding the procedures of a page: each heading with the fenced blocks under it, as they stand.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../made.ts';

export interface Block {
  /** As the fence has it: `sh`, `yaml`, `nginx`. */
  readonly language: string;
  /** Without the indentation of the list that it stands in. */
  readonly text: string;
  /** The path that its first line names, such as `# /etc/jetway/config.yaml`. */
  readonly path?: string;
}

export interface Section {
  /** The page without its ending, and the heading: `rotate: A stolen key`. */
  readonly name: string;
  readonly blocks: readonly Block[];
}

/** @param page a path below docs, such as `handbook/rotate.md` */
export function sectionsOf(page: string): readonly Section[] {
  const text = readFileSync(join(root, 'docs', page), 'utf8');
  const short = page.replace(/^.*\//, '').replace(/\.md$/, '');
  const fence = /^( *)```(\w*)\n([^]*?)^ *```$|^#+ (.*)$/gm;
  const found: { name: string; blocks: Block[] }[] = [];
  for (const [, indent = '', language = '', inside = '', heading] of text.matchAll(fence)) {
    if (heading !== undefined) found.push({ name: `${short}: ${heading}`, blocks: [] });
    else
      found.at(-1)?.blocks.push(blockOf(language, inside.replaceAll(`\n${indent}`, '\n'), indent));
  }
  return found.filter(({ blocks }) => blocks.length > 0);
}

function blockOf(language: string, text: string, indent: string): Block {
  const own = text.startsWith(indent) ? text.slice(indent.length) : text;
  const [, path] = /^# (\/\S+)/.exec(own) ?? [];
  return { language, text: own, ...(path !== undefined && { path }) };
}
