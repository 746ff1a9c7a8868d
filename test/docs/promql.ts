// Owns finding the names in queries of PromQL, so far as the dashboard and the alerts use it.

/** What a query names. */
export interface QueryNames {
  /** By metric, the labels that its selectors match by. */
  readonly metrics: ReadonlyMap<string, readonly string[]>;
  /** Labels that it groups or joins by. */
  readonly grouped: readonly string[];
}

const words = new Set(['and', 'or', 'unless', 'bool', 'inf', 'nan']);

export function namesIn(query: string): QueryNames {
  const metrics = new Map<string, string[]>();
  const grouped: string[] = [];
  const rest = query
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
    .replaceAll(/\[[^\]]*\]/g, ' ')
    .replaceAll(
      /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g,
      (_, list: string) => {
        grouped.push(...(list.match(/\w+/g) ?? []));
        return ' ';
      },
    );
  for (const [, name = '', next = '', matchers = ''] of rest.matchAll(
    /([a-zA-Z_:][\w:]*)\s*(\(|\{([^}]*)\})?/g,
  )) {
    if (next === '(' || words.has(name.toLowerCase())) continue;
    const labels = Array.from(
      matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g),
      ([, label = '']) => label,
    );
    metrics.set(name, [...(metrics.get(name) ?? []), ...labels]);
  }
  return { metrics, grouped };
}

/** The labels that a text of Grafana or of an alert shows: `{{part}}`, `{{ $labels.part }}`. */
export function shownLabels(text: string): readonly string[] {
  return Array.from(
    text.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g),
    ([, label = '']) => label,
  );
}
