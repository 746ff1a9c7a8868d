// Owns the text in which Prometheus reads metrics, in its own form and as OpenMetrics 1.0.

import type { Family, Labels } from './families.ts';

/** `text`: Prometheus' own, version 0.0.4. */
export type ExpositionForm = 'text' | 'openmetrics';

export const expositionTypes: Readonly<Record<ExpositionForm, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** Families without a series have their description alone. */
export function expose(families: readonly Family[], form: ExpositionForm): string {
  const isOpen = form === 'openmetrics';
  const lines: string[] = [];
  for (const { name, help, type, samples } of families) {
    // OpenMetrics names a counter without the suffix of its samples.
    const title = isOpen && type === 'counter' ? name.replace(/_total$/, '') : name;
    lines.push(`# HELP ${title} ${escape(help)}`, `# TYPE ${title} ${type}`);
    for (const { suffix = '', labels = {}, value } of samples()) {
      lines.push(`${name}${suffix}${labelText(labels)} ${numberText(value)}`);
    }
  }
  if (isOpen) lines.push('# EOF');
  return `${lines.join('\n')}\n`;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${escape(value).replaceAll('"', '\\"')}"`],
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}
