/**
 * The types of files that are known by name: what an extension means, what it is called, and in
 * what it is written. What the content says comes first; many kinds are told apart by name alone,
 * because they are all text, or all archives of the same kind.
 */

/** What files of a type are, seen without their name; `bytes`: nothing that is known. */
export type TypeWrapping =
  | 'own'
  | 'bytes'
  | 'text'
  | 'zip'
  | 'cfb'
  | 'xml'
  | 'gzip'
  | 'mp4'
  | 'ogg'
  | 'asf'
  | 'tiff';

export interface FileType {
  /** The media type. */
  readonly type: string;
  /** e.g. "PDF document". */
  readonly words: string;
  /** In small letters, without a dot; the usual one first. */
  readonly extensions: readonly string[];
  readonly wrapping: TypeWrapping;
}

const none: readonly FileType[] = [];

/** Each line: media type, extensions, words. */
const table = {
  own: `
application/pdf|pdf|PDF document
application/postscript|ps|PostScript document
application/eps|eps|PostScript drawing
application/rtf|rtf|RTF document
image/jpeg|jpg jpeg jpe jfif|JPEG image
image/png|png|PNG image
image/apng|apng|animated PNG image
image/gif|gif|GIF image
image/webp|webp|WebP image
image/bmp|bmp dib|bitmap image
image/avif|avif|AVIF image
image/heic|heic hif|HEIC image
image/heif|heif|HEIF image
image/jxl|jxl|JPEG XL image
image/jp2|jp2 j2k|JPEG 2000 image
image/x-icon|ico cur|icon
image/icns|icns|icon
image/vnd.adobe.photoshop|psd|Photoshop image
image/x-xcf|xcf|GIMP image
image/x-canon-cr3|cr3|Canon raw image
image/x-fujifilm-raf|raf|Fujifilm raw image
image/x-olympus-orf|orf|Olympus raw image
image/x-panasonic-rw2|rw2|Panasonic raw image
audio/mpeg|mp3 mp2|MP3 audio
audio/aac|aac|AAC audio
audio/flac|flac|FLAC audio
audio/wav|wav wave|WAV audio
audio/aiff|aif aiff|AIFF audio
audio/ape|ape|APE audio
audio/midi|mid midi|MIDI music
audio/amr|amr|AMR audio
video/matroska|mkv mka|Matroska video
video/webm|webm|WebM video
video/vnd.avi|avi|AVI video
video/quicktime|mov qt|QuickTime video
video/mpeg|mpg mpeg vob|MPEG video
video/mp2t|mts m2ts|MPEG video
video/x-flv|flv|Flash video
application/zip|zip|ZIP archive
application/gzip|gz|gzip archive
application/x-tar|tar|tar archive
application/x-bzip2|bz2 tbz2|bzip2 archive
application/x-xz|xz txz|xz archive
application/zstd|zst|Zstandard archive
application/x-lz4|lz4|LZ4 archive
application/x-7z-compressed|7z|7-Zip archive
application/x-rar-compressed|rar|RAR archive
application/x-iso9660-image|iso|disc image
application/x-apple-diskimage|dmg|disc image
application/x-deb|deb|Debian package
application/x-rpm|rpm|RPM package
application/x-msdownload|exe dll|Windows program
application/x-elf|elf so|program
application/x-mach-binary|dylib|program
application/wasm|wasm|WebAssembly program
application/java-vm|class|Java class
application/vnd.sqlite3|sqlite sqlite3 db|SQLite database
application/vnd.apache.parquet|parquet|Parquet data
application/vnd.tcpdump.pcap|pcap|network capture
application/x-blender|blend|Blender scene
font/ttf|ttf|font
font/otf|otf|font
font/woff|woff|font
font/woff2|woff2|font
application/x-mobipocket-ebook|mobi|e-book
model/gltf-binary|glb|3D model`,
  bytes: `
image/vnd.djvu|djvu djv|DjVu document
application/x-illustrator|ai|Illustrator drawing
application/x-pickle|pkl pickle|Python data
application/x-python-code|pyc|Python program
application/x-object|o a|program code`,
  text: `
text/plain|txt text log nfo|text
text/markdown|md markdown mdown|Markdown text
text/csv|csv|CSV table
text/tab-separated-values|tsv tab|TSV table
text/html|html htm xhtml|web page
text/css|css|style sheet
text/x-scss|scss sass less|style sheet
text/javascript|js mjs cjs jsx|JavaScript code
text/x-typescript|ts tsx cts|TypeScript code
application/json|json|JSON data
application/jsonl|jsonl ndjson|JSON data
application/yaml|yaml yml|YAML data
application/toml|toml|TOML data
text/x-ini|ini cfg conf properties|settings
text/x-python|py pyi|Python code
application/x-ipynb+json|ipynb|notebook
text/x-ruby|rb|Ruby code
text/x-perl|pl pm|Perl code
text/x-php|php|PHP code
text/x-lua|lua|Lua code
text/x-r|r|R code
text/x-c|c h|C code
text/x-c++|cpp cc cxx hpp hh|C++ code
text/x-csharp|cs|C# code
text/x-java|java|Java code
text/x-kotlin|kt kts|Kotlin code
text/x-swift|swift|Swift code
text/x-go|go|Go code
text/x-rust|rs|Rust code
text/x-haskell|hs|Haskell code
text/x-scala|scala|Scala code
text/x-sh|sh bash zsh fish|shell script
text/x-powershell|ps1|PowerShell script
text/x-bat|bat cmd|batch script
application/sql|sql|SQL script
text/x-tex|tex sty cls|TeX source
text/x-bibtex|bib|bibliography
text/x-rst|rst|text
text/x-org|org|Org text
text/x-asciidoc|adoc asciidoc|AsciiDoc text
text/x-diff|diff patch|patch
text/calendar|ics|calendar
text/vcard|vcf|contact
message/rfc822|eml|e-mail
application/mbox|mbox|mailbox
application/x-subrip|srt|subtitles
text/vtt|vtt|subtitles
application/geo+json|geojson|map data
text/x-vue|vue svelte|web component
model/obj|obj|3D model
model/stl|stl|3D model
model/gltf+json|gltf|3D model
audio/x-mpegurl|m3u m3u8|playlist
application/x-pem-file|pem crt cer|certificate
application/x-desktop|desktop|launcher`,
  zip: `
application/vnd.openxmlformats-officedocument.wordprocessingml.document|docx|Word document
application/vnd.openxmlformats-officedocument.spreadsheetml.sheet|xlsx|Excel spreadsheet
application/vnd.openxmlformats-officedocument.presentationml.presentation|pptx|PowerPoint presentation
application/vnd.ms-word.document.macroenabled.12|docm|Word document
application/vnd.ms-excel.sheet.macroenabled.12|xlsm|Excel spreadsheet
application/vnd.oasis.opendocument.text|odt|OpenDocument text
application/vnd.oasis.opendocument.spreadsheet|ods|OpenDocument spreadsheet
application/vnd.oasis.opendocument.presentation|odp|OpenDocument presentation
application/vnd.oasis.opendocument.graphics|odg|OpenDocument drawing
application/epub+zip|epub|e-book
application/java-archive|jar war|Java archive
application/vnd.android.package-archive|apk|Android app
application/x-xpinstall|xpi|browser extension
application/vnd.comicbook+zip|cbz|comic book
application/vnd.google-earth.kmz|kmz|map data
application/vnd.apple.pages|pages|Pages document
application/vnd.apple.numbers|numbers|Numbers spreadsheet
application/vnd.apple.keynote|key|Keynote presentation
application/x-wheel+zip|whl|Python package`,
  cfb: `
application/msword|doc dot|Word document
application/vnd.ms-excel|xls xlt|Excel spreadsheet
application/vnd.ms-powerpoint|ppt pps|PowerPoint presentation
application/vnd.ms-outlook|msg|e-mail
application/x-msi|msi|Windows installer`,
  xml: `
application/xml|xml xsd xsl xslt|XML data
image/svg+xml|svg|SVG drawing
application/gpx+xml|gpx|GPS track
application/vnd.google-earth.kml+xml|kml|map data
application/rss+xml|rss atom|news feed
application/x-plist|plist|property list
application/x-fictionbook+xml|fb2|e-book
application/vnd.jgraph.mxfile|drawio|diagram`,
  gzip: `
application/x-gtar|tgz|tar archive`,
  mp4: `
video/mp4|mp4|MP4 video
video/x-m4v|m4v|MP4 video
audio/mp4|m4a m4b|MP4 audio
video/3gpp|3gp 3g2|3GP video`,
  ogg: `
audio/ogg|ogg oga spx|Ogg audio
audio/opus|opus|Opus audio
video/ogg|ogv ogm|Ogg video`,
  asf: `
video/x-ms-wmv|wmv|Windows Media video
video/x-ms-asf|asf|Windows Media video
audio/x-ms-wma|wma|Windows Media audio`,
  tiff: `
image/tiff|tif tiff|TIFF image
image/x-canon-cr2|cr2|Canon raw image
image/x-nikon-nef|nef|Nikon raw image
image/x-sony-arw|arw|Sony raw image
image/x-adobe-dng|dng|DNG raw image
image/x-pentax-pef|pef|Pentax raw image`,
} as const satisfies Record<TypeWrapping, string>;

export const fileTypes: readonly FileType[] = Object.entries(table).flatMap(([wrapping, lines]) =>
  lines
    .trim()
    .split('\n')
    .map((line) => {
      const [type = '', extensions = '', words = ''] = line.split('|');
      // The keys of the table are all there is.
      return { type, words, extensions: extensions.split(' '), wrapping: wrapping as TypeWrapping };
    }),
);

const byExtension = new Map(
  fileTypes.flatMap((each) => each.extensions.map((extension) => [extension, each] as const)),
);
const byType = Map.groupBy(fileTypes, ({ type }) => type);

/** Of a name; '' where it has none. A dot at its beginning only hides it. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
}

export function typeOfExtension(extension: string): FileType | undefined {
  return byExtension.get(extension);
}

/** What a media type is called. */
export function wordsOfType(type: string): string {
  return (byType.get(type) ?? none)[0]?.words ?? otherWords.get(type) ?? `${type} file`;
}

export const emptyType = 'application/x-empty';
export const unknownType = 'application/octet-stream';

const otherWords = new Map([
  [emptyType, 'empty file'],
  [unknownType, 'binary file'],
  ['inode/directory', 'folder'],
  ['inode/symlink', 'symbolic link'],
  ['inode/other', 'special file'],
  ['application/x-cfb', 'Microsoft Office document'],
]);

/** What a media type found in the content says of how it is written. */
export function wrappingOf(type: string): TypeWrapping {
  const known = wrappers.get(type) ?? (byType.get(type) ?? none)[0]?.wrapping;
  return known ?? (type.startsWith('text/') ? 'text' : 'own');
}

const wrappers = new Map<string, TypeWrapping>([
  ['application/zip', 'zip'],
  ['application/x-cfb', 'cfb'],
  ['application/gzip', 'gzip'],
  ['application/ogg', 'ogg'],
  ['application/vnd.ms-asf', 'asf'],
]);

/** Other names of the same. */
const sameTypes = new Map([
  ['application/x-sqlite3', 'application/vnd.sqlite3'],
  ['audio/ogg; codecs=opus', 'audio/opus'],
  ['audio/x-m4a', 'audio/mp4'],
  ['audio/x-ms-asf', 'application/vnd.ms-asf'],
]);

/**
 * The type of a file whose content was looked at: what that says, made more exact by the name
 * where the name says something that is written in that way.
 */
export function exactType(content: string, name: string): string {
  const found = sameTypes.get(content) ?? content;
  const named = typeOfExtension(extensionOf(name));
  if (named === undefined || named.wrapping === 'own') return found;
  // The content cannot tell such a type.
  if (named.wrapping === 'bytes') return found === unknownType ? named.type : found;
  const wrapping = wrappingOf(found);
  // Much of what is text begins as XML does.
  const fits = named.wrapping === wrapping || (named.wrapping === 'text' && wrapping === 'xml');
  const isText = wrapping === 'text' && named.wrapping === 'xml';
  return fits || isText ? named.type : found;
}

/**
 * Kinds of files that no single media type stands for, written as `document/*`. What is told apart
 * by its content is of a kind whatever it is called; what is only text has to be called so.
 */
const kinds: Readonly<Record<string, string>> = {
  document: 'pdf doc docx docm dot odt rtf txt text md markdown pages tex epub djvu ps',
  spreadsheet: 'xlsx xls xlsm ods csv tsv numbers',
  presentation: 'pptx ppt pps odp key',
  word: 'doc docx docm',
  excel: 'xls xlsx xlsm',
  powerpoint: 'ppt pptx pps',
  archive: 'zip tar gz tgz bz2 tbz2 xz txz zst lz4 7z rar',
  ebook: 'epub mobi azw3 fb2',
  installer: 'exe msi dmg pkg deb rpm appimage',
  code: 'js mjs cjs jsx ts tsx py java kt c h cpp cc hpp cs go rs rb php lua swift sh html css sql',
};

/** The endings of a kind such as `document/*`; undefined where it is none. */
export function endingsOfKind(wanted: string): readonly string[] | undefined {
  const kind = wanted.endsWith('/*') ? wanted.slice(0, -2) : '';
  return Object.hasOwn(kinds, kind) ? kinds[kind]?.split(' ') : undefined;
}

function isOfKind(endings: readonly string[], type: string, name: string): boolean {
  const extension = extensionOf(name);
  const named = typeOfExtension(extension);
  // The name is a hint where the content says nothing, and where it says what the name does.
  const isByName = named === undefined || named.type === type || type === emptyType;
  if (isByName && endings.includes(extension)) return true;
  if (named?.type === type) return false;
  const types = endings.map(typeOfExtension).filter((each) => each !== undefined);
  return types.some((each) => each.wrapping !== 'text' && each.type === type);
}

/**
 * Whether a file of that type, and of that name, is one of those that are asked for: `pdf` is how
 * the name ends; `image/*`, `application/pdf` and `document/*` are what the content says.
 */
export function isOfType(wanted: string, type: string, name: string): boolean {
  const endings = endingsOfKind(wanted);
  if (endings !== undefined) return isOfKind(endings, type, name);
  if (wanted.endsWith('/*')) return type.startsWith(wanted.slice(0, -1));
  return isExtension(wanted) ? extensionOf(name) === wanted : type === wanted;
}

/** What a filter says of names alone, and not of contents. */
export function isExtension(wanted: string): boolean {
  return !wanted.includes('/');
}

/** Whether it might be, going by the name alone. */
export function mayBeOfType(wanted: string, name: string): boolean {
  if (isExtension(wanted)) return extensionOf(name) === wanted;
  const named = typeOfExtension(extensionOf(name));
  return named === undefined || isOfType(wanted, named.type, name);
}

/** Whether the content is what files with that ending hold, whatever the file is called. */
export function holdsType(extension: string, type: string): boolean {
  const known = typeOfExtension(extension);
  return known !== undefined && known.type === type;
}
