/** A JPEG that says when it was taken, and nothing else. */
export interface PhotoSays {
  /** As cameras write it: `2024:05:06 07:08:09`. */
  readonly taken?: string;
  /** `+02:00` */
  readonly offset?: string;
  readonly model?: string;
}

export function photoBytes({ taken, offset, model }: PhotoSays): Buffer {
  const exif = [
    ...(taken === undefined ? [] : [textTag(0x9003, taken)]),
    ...(offset === undefined ? [] : [textTag(0x9011, offset)]),
  ];
  const first = model === undefined ? [] : [textTag(0x0110, model)];
  const pointer = (to: number): Tag => ({ id: 0x8769, type: 4, count: 1, value: uint32(to) });
  const exifAt = 8 + directory([...first, pointer(0)], 8).length;
  const tiff = Buffer.concat([
    Buffer.from('MM\0*\0\0\0\x08', 'latin1'),
    directory([...first, pointer(exifAt)], 8),
    directory(exif, exifAt),
  ]);
  const segment = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
  return Buffer.concat([
    Buffer.of(0xff, 0xd8, 0xff, 0xe1),
    uint16(segment.length + 2),
    segment,
    Buffer.of(0xff, 0xdb, 0, 4, 0, 0, 0xff, 0xd9),
  ]);
}

interface Tag {
  readonly id: number;
  readonly type: number;
  readonly count: number;
  readonly value: Buffer;
}

function textTag(id: number, text: string): Tag {
  const value = Buffer.from(`${text}\0`, 'latin1');
  return { id, type: 2, count: value.length, value };
}

/** The entries, and behind them what does not fit into one. */
function directory(tags: readonly Tag[], at: number): Buffer {
  let next = at + 2 + tags.length * 12 + 4;
  const entries: Buffer[] = [];
  const values: Buffer[] = [];
  for (const { id, type, count, value } of tags) {
    const isInside = value.length <= 4;
    const inside = Buffer.concat([value, Buffer.alloc(4)]).subarray(0, 4);
    entries.push(uint16(id), uint16(type), uint32(count), isInside ? inside : uint32(next));
    if (isInside) continue;
    values.push(value);
    next += value.length;
  }
  return Buffer.concat([uint16(tags.length), ...entries, uint32(0), ...values]);
}

function uint16(number: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(number);
  return bytes;
}

function uint32(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number);
  return bytes;
}
