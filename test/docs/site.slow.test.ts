// The documentation as a site: every link of every page leads somewhere, and no page loads anything
// from elsewhere.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';

import { scratchFolder } from '../support/scratch.ts';

test('every link of the site has its page and its heading, and nothing is loaded from elsewhere', (t) => {
  const folder = scratchFolder(t, 'site');
  execFileSync('npm', ['run', '--silent', 'site', '--', `--output=${folder}`, '--quiet']);
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.html'))
    .map((name) => join(folder, name));
  assert.ok(pages.length > 40, `${pages.length} pages`);
  const dead: string[] = [];
  for (const page of pages) {
    const html = readFileSync(page, 'utf8');
    assert.doesNotMatch(html, /<(?:img|script|link)[^>]*(?:src|href)="(?:https?:)?\/\//, page);
    for (const [, link = ''] of html.matchAll(/(?:href|src)="([^"]*)"/g)) {
      if (/^(?:https?|mailto):/.test(link)) continue;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : resolve(dirname(page), path);
      const isThere =
        existsSync(target) &&
        (anchor === undefined || readFileSync(target, 'utf8').includes(`id="${anchor}"`));
      if (!isThere) dead.push(`${relative(folder, page)}: ${link}`);
    }
  }
  assert.deepEqual(dead, []);
});
