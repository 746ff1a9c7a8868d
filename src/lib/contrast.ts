// Owns colours as WCAG 2.2 sees them: how one stands out from another, and what would stand out enough.

/** A colour as `#rrggbb`. */
export const colourForm: RegExp = /^#[0-9A-Fa-f]{6}$/;

type Channels = readonly [red: number, green: number, blue: number];

/** Contrast ratio of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** A ratio as people read it, rounded down: what is shown as 4.5 is at least that. */
export function formatRatio(ratio: number): string {
  return (Math.floor(ratio * 100) / 100).toFixed(2);
}

/** The colour with a share, from 0 to 1, of another. */
export function mix(colour: string, other: string, share: number): string {
  const others = channelsOf(other);
  const mixed = channelsOf(colour).map(
    (channel, index) => channel + ((others[index] ?? 0) - channel) * share,
  );
  return `#${mixed.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`;
}

/**
 * The colour, or the nearest to it on the way to black or to white that has the contrast; where no
 * colour has it, the end of that way.
 */
export function standOut(colour: string, from: string, ratio: number): string {
  const end = contrast('#000000', from) > contrast('#ffffff', from) ? '#000000' : '#ffffff';
  for (let step = 0; step < 100; step++) {
    const near = mix(colour, end, step / 100);
    if (contrast(near, from) >= ratio) return near;
  }
  return end;
}

function luminance(colour: string): number {
  const [red, green, blue] = channelsOf(colour).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Channels;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channelsOf(colour: string): Channels {
  const channel = (from: number): number => Number.parseInt(colour.slice(from, from + 2), 16);
  return [channel(1), channel(3), channel(5)];
}
