// Owns the logos of a login page: the files that a programme names, the checks that a file is safe to
// show, and the form in which it is served. The caller reads the files.

import { hash } from 'node:crypto';

import type { Fault, Path } from '../../lib/fault.ts';
import { UnreadableFile } from '../../lib/read_file.ts';
import type { YamlNode } from '../../lib/yaml/node.ts';
import { toFault } from '../../schema/complaint.ts';
import type { Definition } from '../language/definition.ts';

/** A picture that pages show, as it is served. */
export interface Logo {
  readonly bytes: Uint8Array;
  readonly type: 'image/svg+xml' | 'image/png';
  /** Named after its content, so that browsers may keep it for ever. */
  readonly fileName: string;
  /** Whether it has colours of its own for dark pages; others are shown on a light ground there. */
  readonly adapts: boolean;
}

/** A page weighs under 20 KB with its style and its logo. */
const maxLogoBytes = 10_000;

/** Logos by the name that the programme file gives them. */
export type Logos = ReadonlyMap<string, Logo>;

/** Reads a file beside the programme file; throws `UnreadableFile` where there is none to be read. */
export type ReadBeside = (name: string, maxBytes: number) => Uint8Array;

/** Reads the logos that a programme names; an error for each unfit one, a warning for heavy pairs. */
export function readLogos(
  definition: Definition,
  document: YamlNode,
  read: ReadBeside,
): { readonly logos: Logos; readonly faults: readonly Fault[] } {
  const logos = new Map<string, Logo>();
  const faults: Fault[] = [];
  for (const [path, name] of logosNamed(definition)) {
    try {
      logos.set(name, toLogo(name, read(name, maxLogoBytes)));
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      const message = `the logo "${name}" ${error.message}`;
      faults.push(toFault('error', document, [path, message, logoHint]));
    }
  }
  return { logos, faults: [...faults, ...heavyPairs(definition, document, logos)] };
}

const logoHint = `a logo is an SVG or PNG file of at most ${maxLogoBytes} bytes, in the folder of the programme file`;

/** Brands whose logo and the programme's, which the page shows together, are too much. */
function heavyPairs(definition: Definition, document: YamlNode, logos: Logos): readonly Fault[] {
  const own = logos.get(definition.login.logo ?? '');
  return logosNamed(definition).flatMap(([path, name]) => {
    const partners = logos.get(name);
    if (own === undefined || partners === undefined || partners === own) return [];
    const bytes = own.bytes.length + partners.bytes.length;
    if (bytes <= maxLogoBytes) return [];
    const message = `the page shows this logo beside the programme's, ${bytes} bytes together, and weighs over 20 KB`;
    const hint = `up to ${maxLogoBytes} bytes together it does not`;
    return toFault('warning', document, [path, message, hint]);
  });
}

function logosNamed({ login }: Definition): readonly (readonly [Path, string])[] {
  const brands = Object.entries(login.brands).map(
    ([brand, { logo }]) => [['login', 'brands', brand, 'logo'], logo] as const,
  );
  return [[['login', 'logo'], login.logo] as const, ...brands].flatMap(([path, name]) =>
    name === undefined ? [] : [[path, name] as const],
  );
}

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Forms by which an SVG picture runs a program or loads something from elsewhere. */
const unfit = [
  '<!DOCTYPE',
  '<!ENTITY',
  String.raw`<\?xml-stylesheet`,
  String.raw`<(?:[\w.-]+:)?(?:script|foreignObject|handler)\b`,
  String.raw`\son\w+\s*=`,
  String.raw`\bhref\s*=(?!\s*["']?(?:#|data:image\/))`,
  String.raw`\battributeName\s*=\s*["']?\s*(?:[\w.-]+:)?(?:href|on\w)`,
  'javascript:',
  '@import',
  String.raw`\burl\((?!\s*["']?#)`,
  String.raw`\b(?:image-set|src)\(`,
];
const unfitForSvg = new RegExp(unfit.join('|'), 'i');

/** Numbers that stand for characters, in XML and in CSS. */
const escapes = /&#(?:x([\dA-F]+)|(\d+));?|\\([\dA-F]{1,6})\s?/gi;

/** The text as browsers read it; it may say `url(` without having it. */
function withoutEscapes(text: string): string {
  return text.replaceAll(escapes, (_, hex?: string, decimal?: string, css?: string) => {
    const code = decimal === undefined ? parseInt(hex ?? css ?? '', 16) : Number(decimal);
    return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : ' ';
  });
}

function toLogo(name: string, bytes: Uint8Array): Logo {
  const digest = hash('sha256', bytes, 'base64url').slice(0, 22);
  if (name.endsWith('.png')) {
    if (!pngSignature.equals(bytes.subarray(0, pngSignature.length))) {
      throw new UnreadableFile('is not a PNG picture');
    }
    return { bytes, type: 'image/png', fileName: `${digest}.png`, adapts: false };
  }
  const text = Buffer.from(bytes).toString('utf8');
  if (!/^\uFEFF?\s*(?:<\?xml[^>]*\?>)?\s*<svg[\s>]/.test(text.replaceAll(/<!--[^]*?-->/g, ''))) {
    throw new UnreadableFile('is not an SVG picture');
  }
  const found = unfitForSvg.exec(withoutEscapes(text))?.[0];
  if (found !== undefined) {
    throw new UnreadableFile(`holds "${found.trim()}": a logo runs and loads nothing`);
  }
  const adapts = /@media[^{]*prefers-color-scheme/.test(text);
  return { bytes, type: 'image/svg+xml', fileName: `${digest}.svg`, adapts };
}
