/**
 * Classic BPF as the kernel's seccomp runs it, put together from blocks. A block ends with
 * an answer on every way through it, so whatever is made of blocks does, too.
 */

export interface Instruction {
  readonly code: number;
  /** Instructions to skip if the comparison holds, and if not: a byte each. */
  readonly skipIfTrue: number;
  readonly skipIfFalse: number;
  readonly value: number;
}

export type Block = readonly Instruction[];

/** BPF_LD, BPF_ALU, BPF_JMP and BPF_RET of linux/bpf_common.h with their sizes and operators. */
export const opcodes = {
  load: 0x20,
  and: 0x54,
  jump: 0x05,
  jumpIfEqual: 0x15,
  jumpIfAtLeast: 0x35,
  answer: 0x06,
} as const;

/** Where `struct seccomp_data` keeps what is asked for. */
export const callOffset = 0;
export const architectureOffset = 4;
/**
 * The low half of an argument, which is all that the kernel takes of an `int`, a `mode_t`, a
 * request of `ioctl` or the flags of `clone`. Both architectures keep the low half first.
 */
export const argumentOffset = (index: number) => 16 + 8 * index;

export const instructionBytes = 8;
const farthestSkip = 0xff;

export const answer = (value: number): Block => [plain(opcodes.answer, value)];

export const load = (offset: number): Instruction => plain(opcodes.load, offset);

export const keepBits = (mask: number): Instruction => plain(opcodes.and, mask);

/** Compares what was loaded last, as numbers without a sign. */
export function branch(
  comparison: 'jumpIfEqual' | 'jumpIfAtLeast',
  value: number,
  { yes, no }: { readonly yes: Block; readonly no: Block },
): Block {
  const code = opcodes[comparison];
  if (yes.length <= farthestSkip) {
    return [{ code, skipIfTrue: 0, skipIfFalse: yes.length, value }, ...yes, ...no];
  }
  // Only the plain jump reaches as far as it likes.
  const overYes = plain(opcodes.jump, yes.length);
  return [{ code, skipIfTrue: 1, skipIfFalse: 0, value }, overYes, ...yes, ...no];
}

/** An array of `struct sock_filter`, in the byte order of both architectures. */
export function encode(block: Block): Uint8Array {
  const bytes = new Uint8Array(block.length * instructionBytes);
  const view = new DataView(bytes.buffer);
  for (const [index, { code, skipIfTrue, skipIfFalse, value }] of block.entries()) {
    const at = index * instructionBytes;
    view.setUint16(at, code, true);
    view.setUint8(at + 2, skipIfTrue);
    view.setUint8(at + 3, skipIfFalse);
    view.setUint32(at + 4, value, true);
  }
  return bytes;
}

function plain(code: number, value: number): Instruction {
  return { code, skipIfTrue: 0, skipIfFalse: 0, value };
}
