/** Runs filters as the kernel does, for their tests; stricter where the kernel checks beforehand. */
import {
  architectureOffset,
  argumentOffset,
  callOffset,
  type Instruction,
  instructionBytes,
  opcodes,
} from './bpf.ts';

export interface SystemCall {
  /** AUDIT_ARCH_* of linux/audit.h. */
  readonly architecture: number;
  readonly number: number;
  readonly args: readonly bigint[];
}

/** What the filter answers, and after how many instructions. */
export interface Outcome {
  readonly value: number;
  readonly steps: number;
}

export function decode(filter: Uint8Array): Instruction[] {
  const view = new DataView(filter.buffer, filter.byteOffset, filter.byteLength);
  return Array.from({ length: filter.byteLength / instructionBytes }, (_, index) => ({
    code: view.getUint16(index * instructionBytes, true),
    skipIfTrue: view.getUint8(index * instructionBytes + 2),
    skipIfFalse: view.getUint8(index * instructionBytes + 3),
    value: view.getUint32(index * instructionBytes + 4, true),
  }));
}

export function runFilter(program: readonly Instruction[], call: SystemCall): Outcome {
  const data = dataOf(call);
  let loaded = 0;
  let at = 0;
  for (let steps = 1; ; steps += 1) {
    const instruction = program[at];
    if (instruction === undefined) throw new Error(`no instruction ${at}`);
    const { code, value } = instruction;
    if (code === opcodes.answer) return { value, steps };
    if (code === opcodes.load) loaded = data.getUint32(value, true);
    // `>>> 0`, because operators of bits make numbers with a sign.
    if (code === opcodes.and) loaded = (loaded & value) >>> 0;
    at += 1 + skipOf(instruction, loaded);
  }
}

function skipOf({ code, skipIfTrue, skipIfFalse, value }: Instruction, loaded: number): number {
  switch (code) {
    case opcodes.jump:
      return value;
    case opcodes.jumpIfEqual:
      return loaded === value ? skipIfTrue : skipIfFalse;
    case opcodes.jumpIfAtLeast:
      return loaded >= value ? skipIfTrue : skipIfFalse;
    case opcodes.load:
    case opcodes.and:
      return 0;
    default:
      throw new Error(`no such instruction: ${code}`);
  }
}

function dataOf({ architecture, number, args }: SystemCall): DataView {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(callOffset, number, true);
  data.setUint32(architectureOffset, architecture, true);
  for (const [index, arg] of args.entries()) data.setBigUint64(argumentOffset(index), arg, true);
  return data;
}
