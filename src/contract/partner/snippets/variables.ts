// Owns variables inside the texts of a sample request: values that a reader sets.

/** A variable of that name; no text of a programme contains these characters. */
export function variable(name: string): string {
  return `\u{E000}${name}\u{E001}`;
}

const form = /\u{E000}(\w+)\u{E001}/u;

export type Part = string | { readonly variable: string };

export function hasVariable(text: string): boolean {
  return form.test(text);
}

/** The texts and variables of a text, without empty ones. */
export function partsOf(text: string): readonly Part[] {
  return text
    .split(form)
    .map((part, index) => (index % 2 === 1 ? { variable: part } : part))
    .filter((part) => part !== '');
}

/** The text with each variable as `write` writes it, and the rest as `writeText` does. */
export function withVariables(
  text: string,
  write: (name: string) => string,
  writeText: (text: string) => string = String,
): string {
  return partsOf(text)
    .map((part) => (typeof part === 'string' ? writeText(part) : write(part.variable)))
    .join('');
}
