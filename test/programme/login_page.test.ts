// What a file says of the login page: colours that can be read, languages that are whole, logos that
// are pictures; and where each fault stands.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { contrast } from '../../src/lib/contrast.ts';
import { formatFault } from '../../src/lib/fault.ts';
import { UnreadableFile } from '../../src/lib/read_file.ts';
import { compilePalettes } from '../../src/programme/login/colours.ts';
import { loadProgramme, withLogos } from '../../src/rules/load.ts';

const head = 'variant: grant\nname: Club\nprogramme_identifier: Club\nbase_path: /club\n';

function errorsOf(login: string): readonly string[] {
  return loadProgramme('club.yaml', `${head}login:\n${login}`)
    .faults.filter(({ severity }) => severity === 'error')
    .map(formatFault);
}

test('an accent that cannot be read is a fault with its ratio and a colour that would do', () => {
  assert.deepEqual(errorsOf('  colours:\n    light: { accent: "#f0a000" }\n'), [
    'club.yaml:7:22: error: accent #f0a000 on background #ffffff has a contrast of 2.15:1; WCAG 2.2 1.4.3 asks for 4.5:1 (accent "#a16b00" would do)',
  ]);
  assert.deepEqual(errorsOf('  colours:\n    light: { accent: "#a16b00" }\n'), []);
});

test('text, button text and borders are held against what they stand on, by day and by night', () => {
  const faulty: Readonly<Record<string, RegExp>> = {
    'light: { text: "#999999" }': /^club\.yaml:7:20: error: text #999999 on background #ffffff/,
    'light: { background: "#16202b" }': /background #16202b has a contrast of 1\.00:1/,
    'light: { accent: "#0b4f8a", accent_text: "#5588bb" }': /accent_text #5588bb on accent #0b4f8a/,
    'light: { border: "#cccccc" }': /border #cccccc on background #ffffff .* 1\.4\.11 asks for 3:1/,
    'dark: { accent: "#0b4f8a" }': /accent #0b4f8a on background #1b242e/,
  };
  for (const [colours, told] of Object.entries(faulty)) {
    assert.match(errorsOf(`  colours:\n    ${colours}\n`)[0] ?? '', told, colours);
  }
  assert.match(errorsOf('  colours:\n    light: { accent: blue }\n')[0] ?? '', /"#0b4f8a"/);
});

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

test('a text that a language lacks is a fault at that language', () => {
  assert.deepEqual(errorsOf('  languages:\n    de: { title: Anmelden }\n'), [
    'club.yaml:7:9: error: "messages" is missing',
    'club.yaml:7:9: error: "labels" is missing',
    'club.yaml:7:9: error: "pages" is missing',
  ]);
  assert.equal(
    errorsOf('  languages:\n    fr: { labels: { log_in: null } }\n')[0],
    'club.yaml:7:21: error: "log_in" is missing (nothing stands here, which removes what the variant has)',
  );
});

test('a file in another language than its variant must bring every text', () => {
  const [fault = ''] = errorsOf('  language: de\n  title: Anmelden\n');
  assert.match(
    fault,
    /^club\.yaml:6:13: error: the language is "de", but login\.messages\.not_recognised and \d+ more texts are still those of the variant \(login\.messages\.not_recognised, /,
  );
  assert.match(fault, /authorize\.failures\.unknown_client\.page\.text/);
  assert.doesNotMatch(fault, /login\.title/);
  assert.deepEqual(errorsOf('  language: en\n  title: Log in\n'), []);
});

test('languages are named once, and the default is one of them', () => {
  assert.deepEqual(errorsOf('  default_language: fr\n'), []);
  assert.deepEqual(errorsOf('  default_language: de\n'), [
    'club.yaml:6:21: error: there are no texts in "de" (there are texts in en, fr)',
  ]);
  assert.match(
    errorsOf('  language: fr\n').join('\n'),
    /"fr" is the language of the texts in login/,
  );
  assert.match(
    errorsOf('  languages: { french: {} }\n')[0] ?? '',
    /language tag such as fr or pt-BR/,
  );
});

test('a tag of the right form that is none would fail at every page, and is a fault', () => {
  assert.match(
    errorsOf('  language: en-12\n')[0] ?? '',
    /^club\.yaml:6:13: error: "en-12" is no language tag \(RFC 5646\)/,
  );
});

test('texts hold no names but {programme}, and {partner} where the partner goes', () => {
  assert.match(errorsOf('  title: "{name}"\n')[0] ?? '', /can hold is \{programme\}/);
  assert.match(
    errorsOf('  labels: { continue_to: Go on }\n')[0] ?? '',
    /expected \{partner\} once/,
  );
});

test('links lead to https addresses only', () => {
  for (const address of ['http://a.example/', 'javascript:alert(1)', 'https://a.example/ b']) {
    for (const key of ['help', 'website', 'privacy', 'terms', 'imprint']) {
      assert.match(errorsOf(`  ${key}: "${address}"\n`)[0] ?? '', /expected an https:\/\/ address/);
    }
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

test('HOSTILE 49: a logo has the name of a file beside the programme’s', () => {
  for (const name of [
    '../a.svg',
    '/etc/a.svg',
    'a/../../b.svg',
    '.a.svg',
    'a.gif',
    'a%2fb.svg',
    '"a\\\\b.svg"',
  ]) {
    assert.match(
      errorsOf(`  logo: ${name}\n`)[0] ?? '',
      /expected the name of an SVG or PNG file/,
      name,
    );
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
