// Owns the contrast of colours (WCAG 2.2): measuring it, and finding a colour with enough of it.

/** A colour as `#rrggbb`. */
export const colourForm: RegExp = /^#[0-9A-Fa-f]{6}$/;

type Channels = readonly [red: number, green: number, blue: number];

/** Contrast ratio of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(one: string, other: string): number {
  const [first, second] = [luminance(one), luminance(other)];
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}

/** A ratio as text, rounded down: one shown as 4.5 is at least 4.5. */
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
 * The colour with the contrast that is nearest to the given one on the way to black or white,
 * whichever stands out more; black or white itself where no colour has the contrast.
 */
export function standOut(colour: string, from: string, ratio: number): string {
  const end = contrast('#000000', from) > contrast('#ffffff', from) ? '#000000' : '#ffffff';
  for (let step = 0; step < 100; step++) {
    const near = mix(colour, end, step / 100);
    if (contrast(near, from) >= ratio) return near;
  }
  return end;
}

/** What a channel, from 0 to 255, gives of its light. */
const lights: readonly number[] = Array.from({ length: 256 }, (_, channel) => {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
});

function luminance(colour: string): number {
  const [red, green, blue] = channelsOf(colour);
  return 0.2126 * (lights[red] ?? 0) + 0.7152 * (lights[green] ?? 0) + 0.0722 * (lights[blue] ?? 0);
}

function channelsOf(colour: string): Channels {
  const channel = (from: number): number => Number.parseInt(colour.slice(from, from + 2), 16);
  return [channel(1), channel(3), channel(5)];
}
