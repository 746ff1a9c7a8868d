// Owns a partner's page as one HTML file in the programme's colours and with its logo: no scripts, nothing
// loaded, readable on a phone and on paper.

import { Marked, type Tokens } from 'marked';

import { escapeXml } from '../../language/encoding.ts';
import type { Logo } from '../../language/logos.ts';
import { readAsset } from '../../lib/asset.ts';
import { baseSheet, paletteRules } from '../../programme/login/colours.ts';
import type { Guide } from './guide.ts';
import { partnerPage } from './page/page.ts';

export function partnerHtml(guide: Guide): string {
  const { name, login } = guide.programme;
  const { head, nav, main } = partsOf(partnerPage(guide));
  const where = guide.deployed === undefined ? '' : ` (${guide.deployed.environment})`;
  const sheet = baseSheet() + readAsset('src/contract/partner/page.css');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">`,
    `<title>${escapeXml(name)}: guide for partners${where}</title>`,
    `<style>\n${paletteRules(login.palettes)}\n${sheet}</style>`,
    '</head>',
    '<body>',
    `<header>\n${login.logo === undefined ? '' : picture(login.logo)}${head}</header>`,
    `<nav aria-label="On this page">\n<ul>\n${nav}\n</ul>\n</nav>`,
    `<main>\n${main}</main>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** A logo within the page: as a picture, an SVG runs and loads nothing. */
function picture({ bytes, type, adapts }: Logo): string {
  const data = Buffer.from(bytes).toString('base64');
  return `<img class="${adapts ? '' : 'paper'}" src="data:${type};base64,${data}" alt="">\n`;
}

/** What code is, by its language, for readers who come to it by the keyboard: it scrolls. */
const codeNames: Readonly<Record<string, string>> = {
  sh: 'Command',
  http: 'Answer',
  text: 'Address',
  html: 'Form',
};

/** The Markdown as HTML: what stands before its sections, the list of them, and the sections. */
function partsOf(markdown: string): Readonly<Record<'head' | 'nav' | 'main', string>> {
  const sections: string[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading): string {
        const id = slug(text);
        const content = this.parser.parseInline(tokens);
        if (depth === 2) sections.push(`<li><a href="#${id}">${content}</a></li>`);
        return `<h${depth} id="${id}">${content}</h${depth}>\n`;
      },
      code: ({ text, lang = '' }: Tokens.Code): string =>
        `<pre tabindex="0" role="group" aria-label="${codeNames[lang] ?? 'Code'}"><code>${escapeXml(text)}\n</code></pre>\n`,
      table({ header, rows }: Tokens.Table): string {
        const heads = header.map(({ tokens }) => this.parser.parseInline(tokens));
        const head = heads.map((cell) => `<th>${cell}</th>`).join('');
        const body = rows.map((cells) => {
          const written = cells.map(
            ({ tokens }, index) =>
              `<td role="cell" data-head="${heads[index] ?? ''}">${this.parser.parseInline(tokens)}</td>`,
          );
          return `<tr role="row">${written.join('')}</tr>\n`;
        });
        return `<table role="table">\n<thead><tr>${head}</tr></thead>\n<tbody>\n${body.join('')}</tbody>\n</table>\n`;
      },
      // Nothing here is meant as HTML.
      html: ({ text }: Tokens.HTML | Tokens.Tag): string => escapeXml(text),
    },
  });
  const html = marked.parse(markdown, { async: false });
  const first = html.indexOf('<h2');
  return { head: html.slice(0, first), nav: sections.join('\n'), main: html.slice(first) };
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}
