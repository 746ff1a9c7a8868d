// Owns one OTLP/HTTP exchange with a collector (https://opentelemetry.io/docs/specs/otlp/#otlphttp).

/** Milliseconds. */
const patience = 10_000;
/** Statuses after which the same may be sent again. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export interface NotTaken {
  /** Holds nothing that was sent. */
  readonly reason: string;
  readonly mayBeRepeated: boolean;
}

/** Never rejects. @param endpoint gets OTLP's usual path where it has none */
export async function sendTraces(
  endpoint: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<'taken' | NotTaken> {
  const url = new URL(endpoint);
  if (url.pathname === '/') url.pathname = '/v1/traces';
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(patience),
    });
    await answer.body?.cancel();
    if (answer.ok) return 'taken';
    const { status } = answer;
    return { reason: `the collector answers ${status}`, mayBeRepeated: passing.has(status) };
  } catch (error) {
    return { reason: `the collector does not answer: ${causeOf(error)}`, mayBeRepeated: true };
  }
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error as { readonly cause?: { readonly code?: string } };
  return cause?.code ?? error.name;
}
