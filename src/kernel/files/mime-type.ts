/** What kind of file a name stands for; a guess by its end, which proves nothing. */
const types: Readonly<Record<string, string>> = {
  ...{ txt: 'text/plain', log: 'text/plain', md: 'text/markdown', csv: 'text/csv' },
  ...{ html: 'text/html', htm: 'text/html', css: 'text/css', js: 'text/javascript' },
  ...{ mjs: 'text/javascript', xml: 'application/xml', json: 'application/json' },
  ...{ jsonl: 'application/jsonl', yaml: 'application/yaml', yml: 'application/yaml' },
  ...{ pdf: 'application/pdf', zip: 'application/zip', gz: 'application/gzip' },
  ...{ tgz: 'application/gzip', tar: 'application/x-tar', '7z': 'application/x-7z-compressed' },
  ...{ png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif' },
  ...{ webp: 'image/webp', svg: 'image/svg+xml', mp3: 'audio/mpeg', wav: 'audio/wav' },
  ...{ mp4: 'video/mp4', webm: 'video/webm', sqlite: 'application/vnd.sqlite3' },
};

/** Undefined where the extension is not known. */
export function mimeTypeOf(filename: string): string | undefined {
  const end = /\.([a-z0-9]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(types, end) ? types[end] : undefined;
}
