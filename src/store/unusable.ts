// Owns the error for a store that its operator has to look at; outages that pass are `Unavailable`.

/**
 * The store cannot be used as it is configured: wrong environment, newer schema, damaged or foreign
 * file. Waiting does not help; commands end with exit code 4.
 */
export class StoreUnusable extends Error {
  /** What the operator can do about it. */
  readonly hint: string;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreUnusable';
    this.hint = hint;
  }
}
