/** The pipes of one sandbox. */
import { type Fifos, OpenPipe } from './fifos.ts';

export interface BoxPipes {
  readonly stdin: OpenPipe;
  readonly stdout: OpenPipe;
  readonly stderr: OpenPipe;
  /** Over which it is told its command. */
  readonly control: OpenPipe;
  /** What the launcher tells of itself. */
  readonly info: OpenPipe;
}

export async function openPipes(fifos: Fifos): Promise<BoxPipes> {
  const paths = await fifos.take(5);
  const opened: OpenPipe[] = [];
  const open = (index: number, how: 'read' | 'write'): OpenPipe => {
    const pipe = OpenPipe.open(paths[index] ?? '', how);
    opened.push(pipe);
    return pipe;
  };
  try {
    return {
      stdin: open(0, 'write'),
      stdout: open(1, 'read'),
      stderr: open(2, 'read'),
      control: open(3, 'write'),
      info: open(4, 'read'),
    };
  } catch (failure) {
    for (const pipe of opened) pipe.close();
    fifos.giveBack(paths);
    throw failure;
  }
}

/** The ends that are the program's, where we have them still. */
export function closeTheirs({ stdin, stdout, stderr, control, info }: BoxPipes): void {
  for (const pipe of [stdin, stdout, stderr, control, info]) pipe.closeTheirs();
}

/** When nobody is left who has them open. */
export function releasePipes(
  fifos: Fifos,
  { stdin, stdout, stderr, control, info }: BoxPipes,
): void {
  const all = [stdin, stdout, stderr, control, info];
  for (const pipe of all) pipe.close();
  fifos.giveBack(all.map(({ path }) => path));
}
