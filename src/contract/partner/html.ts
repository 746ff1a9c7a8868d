// Owns a partner's page as one HTML file: no scripts, nothing loaded, readable on a phone and on paper.

import { Marked, type Tokens } from 'marked';

import { readAsset } from '../../lib/asset.ts';
import type { Guide } from './guide.ts';
import { partnerPage } from './page/page.ts';

export function partnerHtml(guide: Guide): string {
  const { name } = guide.programme;
  const markdown = partnerPage(guide);
  const sheet = readAsset('src/contract/partner/page.css');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>${escaped(name)}: guide for partners</title>`,
    `<style>\n${sheet}</style>`,
    '</head>',
    '<body>',
    `<main>\n${pageOf(markdown)}</main>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** The Markdown as HTML, with the list of its sections before the first. */
function pageOf(markdown: string): string {
  const sections: string[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading): string {
        const id = slug(text);
        const content = this.parser.parseInline(tokens);
        if (depth === 2) sections.push(`<li><a href="#${id}">${content}</a></li>`);
        return `<h${depth} id="${id}">${content}</h${depth}>\n`;
      },
      table({ header, rows }: Tokens.Table): string {
        const heads = header.map(({ tokens }) => this.parser.parseInline(tokens));
        const head = heads.map((cell) => `<th>${cell}</th>`).join('');
        const body = rows.map((cells) => {
          const written = cells.map(
            ({ tokens }, index) =>
              `<td data-head="${heads[index] ?? ''}">${this.parser.parseInline(tokens)}</td>`,
          );
          return `<tr>${written.join('')}</tr>\n`;
        });
        return `<div class="table"><table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${body.join('')}</tbody>\n</table></div>\n`;
      },
      // Nothing here is meant as HTML.
      html: ({ text }: Tokens.HTML | Tokens.Tag): string => escaped(text),
    },
  });
  const html = marked.parse(markdown, { async: false });
  const first = html.indexOf('<h2');
  const nav = `<nav aria-label="On this page">\n<ul>\n${sections.join('\n')}\n</ul>\n</nav>\n`;
  return html.slice(0, first) + nav + html.slice(first);
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
