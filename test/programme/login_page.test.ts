// What a file says of the login page: colours that can be read, and logos that are pictures. Faults of its keys are
// in test/rules/login_page.cases.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { contrast } from '../../src/lib/contrast.ts';
import { formatFault } from '../../src/lib/fault.ts';
import { UnreadableFile } from '../../src/lib/read_file.ts';
import { compilePalettes } from '../../src/programme/login/colours.ts';
import { loadProgramme, withLogos } from '../../src/rules/load.ts';

const head = 'variant: grant\nname: Club\nprogramme_identifier: Club\nbase_path: /club\n';

test('whatever accent a file gives, the colours it leaves open can be read beside it', () => {
  for (const accent of [
    '#000000',
    '#ffffff',
    '#777777',
    '#ff0000',
    '#00ff00',
    '#0000ff',
    '#ffee00',
  ]) {
    const { light, dark } = compilePalettes({ light: { accent } });
    for (const palette of [light, dark]) {
      const { background, alert_background: behindAlert } = palette;
      assert.ok(contrast(palette.accent_text, palette.accent) >= 4.5, accent);
      assert.ok(contrast(palette.accent_text, palette.accent_hover) >= 4.5, accent);
      assert.ok(contrast(palette.muted, background) >= 4.5, accent);
      assert.ok(contrast(palette.alert, behindAlert) >= 4.5, accent);
      assert.ok(contrast(palette.alert_text, behindAlert) >= 4.5, accent);
      assert.ok(contrast(palette.border, background) >= 3, accent);
    }
    assert.ok(contrast(dark.accent, dark.background) >= 4.5, accent);
  }
});

/** The faults of a file with one logo, and what is served of it. */
function withLogo(name: string, content: string | Buffer) {
  const result = loadProgramme('club.yaml', `${head}login:\n  logo: ${name}\n`);
  const { loaded, faults } = withLogos(result, () => Buffer.from(content));
  const errors = faults.filter(({ severity }) => severity === 'error').map(formatFault);
  return { errors, logo: loaded?.logos.get(name) };
}

const svg = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>';

test('a logo is an SVG or PNG picture, named after its content', () => {
  for (const content of [svg, `<?xml version="1.0"?>\n<!-- a -->\n${svg}`]) {
    const { errors, logo } = withLogo('club.svg', content);
    assert.deepEqual(errors, []);
    assert.equal(logo?.type, 'image/svg+xml');
    assert.match(logo.fileName, /^[\w-]{22}\.svg$/);
  }
  const png = Buffer.from('89504e470d0a1a0a00', 'hex');
  assert.equal(withLogo('a/club.png', png).logo?.type, 'image/png');
  assert.equal(withLogo('a/club.png', png).logo?.adapts, false);
  const style = '<style>@media (prefers-color-scheme: dark) { path { fill: #fff } }</style>';
  const adapting = svg.replace('<path', `${style}<path`);
  assert.equal(withLogo('club.svg', svg).logo?.adapts, false);
  assert.equal(withLogo('club.svg', adapting).logo?.adapts, true);
  assert.match(withLogo('club.png', svg).errors[0] ?? '', /is not a PNG picture/);
  assert.match(withLogo('club.svg', '<html/>').errors[0] ?? '', /is not an SVG picture/);
  assert.match(
    withLogo('club.svg', '<!---->'.repeat(1700)).errors[0] ?? '',
    /^club\.yaml:6:9: error: the logo "club\.svg" is not an SVG picture/,
  );
});

test('HOSTILE 10: a logo that runs or loads anything is refused', () => {
  const inside = (content: string): string => svg.replace('<path', `${content}<path`);
  for (const content of [
    inside('<script>1</script>'),
    inside('<foreignObject/>'),
    inside('<g onload="x()"/>'),
    inside('<image href="https://elsewhere.example/a.png"/>'),
    inside('<use xlink:href="b.svg#a"/>'),
    inside('<style>@import "a.css"</style>'),
    inside('<rect fill="url(https://elsewhere.example/a)"/>'),
    `<!DOCTYPE svg [<!ENTITY a "b">]>${svg}`,
    inside('<x:script xmlns:x="http://www.w3.org/2000/svg">1</x:script>'),
    `<?xml-stylesheet href="#a"?>${svg}`,
    inside('<a><animate attributeName="href" values="#"/></a>'),
    inside('<set attributeName="xlink:href" to="#"/>'),
    inside('<a href="#"><set to="java&#x73;cript:1"/></a>'),
    inside(String.raw`<style>g{fill:\75 rl(https://a.example)}</style>`),
    inside('<g style="fill:&#117;rl(https://a.example)"/>'),
    inside('<style>g{fill:image-set("https://a.example")}</style>'),
  ]) {
    assert.match(
      withLogo('club.svg', content).errors[0] ?? '',
      /a logo runs and loads nothing|is not an SVG/,
    );
  }
  for (const content of [
    inside('<title>Caf&#xe9;&#10;&#0;&#x110000;</title>'),
    inside('<use href="#a"/><rect fill="url(#a)"/>'),
    inside('<image href="data:image/png;base64,AAAA"/>'),
  ]) {
    assert.deepEqual(withLogo('club.svg', content).errors, []);
  }
});

test('two logos that make a page heavy are told of, and shown', () => {
  const brands = 'Acme: { name: Acme, logo: acme.svg }, Same: { name: Same, logo: club.svg }';
  const file = `${head}login:\n  logo: club.svg\n  brands: { ${brands} }\n`;
  const told = (bytes: number): readonly string[] => {
    const { loaded, faults } = withLogos(loadProgramme('club.yaml', file), () =>
      Buffer.from(svg.padEnd(bytes)),
    );
    assert.equal(loaded?.logos.size, 2);
    return faults.map(formatFault);
  };
  assert.deepEqual(told(5000), []);
  assert.deepEqual(told(5001), [
    "club.yaml:7:39: warning: the page shows this logo beside the programme's, 10002 bytes together, and weighs over 20 KB (up to 10000 bytes together it does not) [heavy_logos]",
  ]);
});

test('a logo that cannot be read is a fault where it is named', () => {
  const login = 'login:\n  brands:\n    Acme: { name: Acme, logo: acme.svg }\n';
  const { loaded, faults } = withLogos(loadProgramme('club.yaml', head + login), () => {
    throw new UnreadableFile('does not exist');
  });
  assert.equal(loaded, undefined);
  const [fault] = faults.filter(({ severity }) => severity === 'error').map(formatFault);
  assert.equal(
    fault,
    'club.yaml:7:31: error: the logo "acme.svg" does not exist (a logo is an SVG or PNG file of at most 10000 bytes, in the folder of the programme file)',
  );
});
