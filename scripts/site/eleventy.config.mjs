// Owns the documentation as a static site: the Markdown of README and docs/, as it stands there.

import { IdAttributePlugin } from '@11ty/eleventy';

/**
 * A page as Eleventy knows it.
 * @typedef {{ readonly page: { readonly filePathStem: string, readonly rawInput: string } }} Page
 */

/**
 * The part of Eleventy's configuration that is used here; the package has no types of its own.
 * @typedef {{
 *   readonly ignores: Set<string>,
 *   setTemplateFormats(formats: readonly string[]): void,
 *   addPlugin(plugin: unknown, options: object): void,
 *   addPassthroughCopy(glob: string): void,
 *   addGlobalData(name: string, value: unknown): void,
 *   addTemplate(path: string, content: string, data: object): void,
 *   addTransform(name: string, transform: (html: string) => string): void,
 * }} Site
 */

/**
 * As GitHub makes the anchor of a heading, which links in the Markdown go by.
 * @param {string} text
 */
function anchor(text) {
  const kept = text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
  return kept.replaceAll(/\s/g, '-');
}

/**
 * Pages link to each other as files of Markdown, so that the links work in the repository too.
 * @param {string} html
 */
function toPages(html) {
  return (
    html
      .replaceAll(/href="((?!https?:)[^"#]*?)README\.md(#[^"]*)?"/g, 'href="$1index.html$2"')
      .replaceAll(/href="((?!https?:)[^"#]+)\.md(#[^"]*)?"/g, 'href="$1.html$2"')
      // Eleventy shortens the addresses of index pages, which works with a server alone.
      .replaceAll(/href="((?:\.\.\/)+(?:[\w-]+\/)*)"/g, 'href="$1index.html"')
  );
}

/** @param {Site} site */
// oxlint-disable-next-line no-default-export -- Eleventy takes no other.
export default function configure(site) {
  site.setTemplateFormats(['md']);
  for (const folder of ['src', 'test', 'scripts', 'programmes', '.ci']) site.ignores.add(folder);
  site.addPlugin(IdAttributePlugin, { slugify: anchor });
  site.addPassthroughCopy('docs/**/*.{png,json,yaml,mjs}');
  site.addGlobalData('layout', 'page.liquid');
  site.addGlobalData('eleventyComputed', {
    /** @param {Page} data */
    permalink: ({ page }) => `${page.filePathStem.replace(/README$/, 'index')}.html`,
    /** @param {Page} data */
    title: ({ page }) => /^# (.*)$/m.exec(page.rawInput)?.[1] ?? 'Jetway',
    /**
     * From a page to the site's root, for links that work from a folder without a server.
     * @param {Page} data
     */
    root: ({ page }) => '../'.repeat(page.filePathStem.split('/').length - 2),
  });
  site.addTransform('links', toPages);
  return {
    dir: { input: '.', includes: 'scripts/site', output: 'dist/site' },
    // The pages hold braces of their own.
    markdownTemplateEngine: false,
  };
}
