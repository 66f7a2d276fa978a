/**
 * Small files of many kinds, each of which is what it says: programs that look into them agree.
 * None is larger than it has to be.
 */
import { crc32, deflateSync } from 'node:zlib';

/** One page, with the lines on it as text. */
export function pdf(lines: readonly string[]): Buffer {
  const shown = lines.map((line) => `(${line.replace(/[\\()]/g, '\\$&')}) Tj T*`).join('\n');
  const page = `BT /F1 12 Tf 72 720 Td 14 TL\n${shown}\nET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${Buffer.byteLength(page, 'latin1')} >>\nstream\n${page}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  text += `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

/** A square of one colour. */
export function png(colour: readonly [number, number, number], pixels = 4): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(pixels, 0);
  head.writeUInt32BE(pixels, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.from([0, ...Array.from({ length: pixels }, () => colour).flat()]);
  const rows = Buffer.concat(Array.from({ length: pixels }, () => row));
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk('IHDR', head),
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', Buffer.of()),
  ]);
}

function pngChunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), data]);
  return Buffer.concat([uint32(data.length, 'big'), named, uint32(crc32(named), 'big')]);
}

/** Eight grey pixels by eight; `taken` is what its camera wrote, however that looks. */
export function jpeg({ taken, note = '' }: { taken?: string; note?: string } = {}): Buffer {
  const quantisation = Buffer.concat([Buffer.of(0), Buffer.alloc(64, 1)]);
  return Buffer.concat([
    Buffer.of(0xff, 0xd8),
    ...(taken === undefined ? [] : [jpegSegment(0xe1, exif(taken))]),
    ...(note === '' ? [] : [jpegSegment(0xfe, Buffer.from(note))]),
    jpegSegment(0xdb, quantisation),
    jpegSegment(0xc0, Buffer.of(8, 0, 8, 0, 8, 1, 1, 0x11, 0)),
    jpegSegment(0xc4, oneCode(0x00)),
    jpegSegment(0xc4, oneCode(0x10)),
    jpegSegment(0xda, Buffer.of(1, 1, 0, 0, 63, 0)),
    Buffer.of(0x3f, 0xff, 0xd9),
  ]);
}

function jpegSegment(marker: number, data: Buffer): Buffer {
  const size = Buffer.alloc(2);
  size.writeUInt16BE(data.length + 2);
  return Buffer.concat([Buffer.of(0xff, marker), size, data]);
}

/** A Huffman table in which one bit says "nothing more". */
function oneCode(table: number): Buffer {
  return Buffer.of(table, 1, ...Array.from({ length: 15 }, () => 0), 0);
}

function exif(taken: string): Buffer {
  const date = Buffer.from(`${taken}\0`, 'latin1');
  const make = Buffer.from('Lumo\0\0', 'latin1');
  const tiff = Buffer.alloc(8 + 30 + 18);
  tiff.write('II', 0, 'latin1');
  tiff.writeUInt16LE(42, 2);
  tiff.writeUInt32LE(8, 4);
  tiff.writeUInt16LE(2, 8);
  exifTag(tiff, 10, { tag: 0x010f, type: 2, count: make.length, value: tiff.length });
  exifTag(tiff, 22, { tag: 0x8769, type: 4, count: 1, value: 38 });
  tiff.writeUInt16LE(1, 38);
  exifTag(tiff, 40, {
    tag: 0x9003,
    type: 2,
    count: date.length,
    value: tiff.length + make.length,
  });
  return Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff, make, date]);
}

interface ExifTag {
  readonly tag: number;
  readonly type: number;
  readonly count: number;
  readonly value: number;
}

function exifTag(tiff: Buffer, at: number, { tag, type, count, value }: ExifTag): void {
  tiff.writeUInt16LE(tag, at);
  tiff.writeUInt16LE(type, at + 2);
  tiff.writeUInt32LE(count, at + 4);
  tiff.writeUInt32LE(value, at + 8);
}

/** One pixel. */
export function gif(): Buffer {
  const head = Buffer.from('GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1');
  return Buffer.concat([head, Buffer.from(',\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;', 'latin1')]);
}

/** Nothing in it is compressed. */
export function zip(files: Readonly<Record<string, string>>): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const data = Buffer.from(text);
    const common = zipFields(name, data);
    const body = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), data]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\0'), common, tail, Buffer.from(name));
    bodies.push(body);
    offset += body.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(bodies.length, 4);
  end.writeUInt16LE(bodies.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...bodies, listed, Buffer.from('PK\x05\x06'), end]);
}

function zipFields(name: string, data: Buffer): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  // 1 January 2020, so that the same files make the same bytes.
  fields.writeUInt16LE(0x5021, 8);
  fields.writeUInt32LE(crc32(data), 10);
  fields.writeUInt32LE(data.length, 14);
  fields.writeUInt32LE(data.length, 18);
  fields.writeUInt16LE(Buffer.byteLength(name), 22);
  return fields;
}

const wordMain = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';

export function docx(text: string): Buffer {
  return zip({
    '[Content_Types].xml': `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="${wordMain}"/></Types>`,
    'word/document.xml': `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`,
  });
}

export function ods(): Buffer {
  return zip({
    mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
    'content.xml': '<?xml version="1.0"?><office:document-content/>',
  });
}

/** A title, and two frames of silence. */
export function mp3(title: string): Buffer {
  const text = Buffer.from(`\0${title}`, 'latin1');
  const frame = Buffer.concat([
    Buffer.from('TIT2'),
    uint32(text.length, 'big'),
    Buffer.alloc(2),
    text,
  ]);
  // The size of the tag is written in sevens of bits; ours is always below 128.
  const head = Buffer.concat([Buffer.from('ID3\x03\0\0', 'latin1'), Buffer.of(0, 0, 0)]);
  const sound = Buffer.alloc(417);
  sound.set([0xff, 0xfb, 0x90, 0x00]);
  return Buffer.concat([head, Buffer.of(frame.length), frame, sound, sound]);
}

/** The head of a film, and so many bytes of it. */
export function mp4(sizeBytes: number): Buffer {
  const kind = Buffer.from('isom\0\0\x02\0isomiso2mp41', 'latin1');
  const head = Buffer.concat([uint32(8 + kind.length, 'big'), Buffer.from('ftyp'), kind]);
  const data = Buffer.concat([uint32(8 + sizeBytes, 'big'), Buffer.from('mdat')]);
  return Buffer.concat([head, data, Buffer.alloc(sizeBytes, 0x55)]);
}

/** Eight thousand samples a second, and so many of silence. */
export function wav(samples: number): Buffer {
  const format = Buffer.alloc(16);
  format.set([1, 0, 1, 0]);
  format.writeUInt32LE(8000, 4);
  format.writeUInt32LE(8000, 8);
  format.set([1, 0, 8, 0], 12);
  return Buffer.concat([
    Buffer.from('RIFF'),
    uint32(36 + samples, 'little'),
    Buffer.from('WAVEfmt '),
    uint32(16, 'little'),
    format,
    Buffer.from('data'),
    uint32(samples, 'little'),
    Buffer.alloc(samples, 0x80),
  ]);
}

function uint32(value: number, order: 'big' | 'little'): Buffer {
  const bytes = Buffer.alloc(4);
  if (order === 'big') bytes.writeUInt32BE(value);
  else bytes.writeUInt32LE(value);
  return bytes;
}
