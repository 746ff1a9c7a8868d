// Owns the colours of the log on a terminal.

export type Paint = Readonly<Record<'dim' | 'green' | 'yellow' | 'red', (text: string) => string>>;

/** Leaves text as it is where there are no colours. */
export function paints(isColoured: boolean): Paint {
  const by =
    (code: number) =>
    (text: string): string =>
      isColoured ? `\u001B[${code}m${text}\u001B[0m` : text;
  return { dim: by(2), green: by(32), yellow: by(33), red: by(31) };
}
