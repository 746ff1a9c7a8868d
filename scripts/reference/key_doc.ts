// Owns what is said of one key; the texts themselves are in docs_*.ts.

export interface KeyDoc {
  /** What it does on the wire, in a sentence or two for someone who writes a partner's dialect. */
  readonly text: string;
  /** A value as YAML, on one line. */
  readonly example: string;
  /** What holds where the key is left out, when the schema names no default. */
  readonly otherwise?: string;
  /** The variant the example is laid over; `grant` where it is left out. */
  readonly on?: 'grant' | 'partner-login';
  /** YAML that the example needs beside it. */
  readonly beside?: string;
}

export type KeyDocs = Readonly<Record<string, KeyDoc>>;
