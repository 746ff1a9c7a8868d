// Owns bodies of multipart/form-data as the simplest client writes them.

export const multipartType = 'multipart/form-data; boundary=end';

export function multipartText(pairs: readonly (readonly [name: string, value: string])[]): string {
  const parts = pairs.map(
    ([name, value]) =>
      `--end\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join('')}--end--\r\n`;
}
