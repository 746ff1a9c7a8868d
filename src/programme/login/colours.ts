// Owns the palettes of the login page, made from the colours in a file.

import type { ColoursDefinition, SchemeDefinition } from '../../language/login_schema.ts';
import { readAsset } from '../../lib/asset.ts';
import { contrast, formatRatio, mix, standOut } from '../../lib/contrast.ts';
import type { Complaint } from '../../schema/faults.ts';

export const colourSchemes = ['light', 'dark'] as const;
export type ColourScheme = (typeof colourSchemes)[number];

export interface Palette extends Required<SchemeDefinition> {
  /** The background around the card; it carries no text. */
  readonly ground: string;
  /** The colour of a button under the pointer: more contrast with its text. */
  readonly accent_hover: string;
  /** The colour of less important text. */
  readonly muted: string;
  readonly alert: string;
  readonly alert_text: string;
  readonly alert_background: string;
}

const usual = {
  light: { accent: '#0b4f8a', text: '#16202b', background: '#ffffff' },
  dark: { accent: '#8cc4f5', text: '#e8edf2', background: '#1b242e' },
} as const;

const red = '#b3261e';

/** Least contrast of text, and of the outlines of controls (WCAG 2.2 1.4.3 and 1.4.11). */
const leastForText = 4.5;
const leastForControls = 3;

export type Palettes = Readonly<Record<ColourScheme, Palette>>;

/** The palettes of both schemes; a colour that the file leaves out is chosen to be readable. */
export function compilePalettes(colours: ColoursDefinition): Palettes {
  const light = palette('light', colours.light ?? {}, usual.light.accent);
  // Without a dark accent: the light accent, lightened until it has enough contrast.
  const night = colours.light?.accent ?? usual.dark.accent;
  return { light, dark: palette('dark', colours.dark ?? {}, night) };
}

function palette(scheme: ColourScheme, given: SchemeDefinition, usualAccent: string): Palette {
  const { text = usual[scheme].text, background = usual[scheme].background } = given;
  const accent = given.accent ?? standOut(usualAccent, background, leastForText);
  const onAccent = contrast('#ffffff', accent) >= leastForText ? '#ffffff' : '#000000';
  const accentText = given.accent_text ?? onAccent;
  const alertBackground = mix(background, red, scheme === 'light' ? 0.07 : 0.16);
  return {
    accent,
    accent_text: accentText,
    accent_hover: mix(accent, standOut(accentText, accentText, 21), 0.2),
    text,
    background,
    border:
      given.border ?? standOut(mix(text, background, 0.5), background, leastForControls + 0.2),
    ground: scheme === 'light' ? mix(background, accent, 0.07) : mix(background, '#000000', 0.4),
    muted: standOut(mix(text, background, 0.25), background, leastForText + 0.5),
    alert: standOut(red, alertBackground, leastForText + 0.5),
    alert_text: standOut(text, alertBackground, leastForText),
    alert_background: alertBackground,
  };
}

/** Style rules that give a page a programme's colours as custom properties, by day and by night. */
export function paletteRules({ light, dark }: Palettes): string {
  // The ground of a logo that is made for light pages.
  const paper = `--paper:${light.background}`;
  return `:root{${paper};${variables(light)}}@media(prefers-color-scheme:dark){:root{${variables(dark)}}}`;
}

/** What every page has, in those properties. */
export function baseSheet(): string {
  return readAsset('src/programme/login/base.css');
}

function variables(colours: Palette): string {
  return Object.entries(colours)
    .map(([name, colour]) => `--${name.replace('_', '-')}:${String(colour)}`)
    .join(';');
}

type ColourName = keyof SchemeDefinition;

/** Pairs of colours that need contrast. */
const pairs: readonly (readonly [front: ColourName, behind: ColourName, least: number])[] = [
  ['text', 'background', leastForText],
  ['accent', 'background', leastForText],
  ['accent_text', 'accent', leastForText],
  ['border', 'background', leastForControls],
];

/** Pairs with too little contrast. */
export function* colourComplaints(colours: ColoursDefinition): Iterable<Complaint> {
  const palettes = compilePalettes(colours);
  for (const scheme of colourSchemes) {
    const given = colours[scheme] ?? {};
    for (const [front, behind, least] of pairs) {
      const [colour, other] = [palettes[scheme][front], palettes[scheme][behind]];
      const ratio = contrast(colour, other);
      if (ratio >= least) continue;
      const at = given[front] === undefined ? behind : front;
      const rule = least === leastForText ? '1.4.3' : '1.4.11';
      yield [
        ['login', 'colours', scheme, at],
        `${front} ${colour} on ${behind} ${other} has a contrast of ${formatRatio(ratio)}:1; WCAG 2.2 ${rule} asks for ${least}:1`,
        `${front} "${standOut(colour, other, least)}" would do`,
      ];
    }
  }
}
