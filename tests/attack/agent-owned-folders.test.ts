/**
 * Under a daemon of root an agent's outbox, inbox and workspace are its own. Here its processes,
 * which have that user and nothing else, try to lead the daemon elsewhere by what they put there.
 */
import { spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { realClock } from '../../src/engines/clock.ts';
import { realDisk } from '../../src/engines/disk/disk.ts';
import { realFileWatching } from '../../src/engines/disk/file-watching.ts';
import { removeTree } from '../../src/kernel/disk/durable-file.ts';
import { AosError } from '../../src/kernel/errors.ts';
import { Outbox } from '../../src/relay/files/outbox.ts';
import {
  type FolderDeps,
  keepFolders,
  sweepPending,
} from '../../src/relay/files/outbox-folders.ts';
import { isInstalled, isRoot } from '../support/machine.ts';
import { inboxOf, lookIntoInbox, outboxOf } from '../support/message-files.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { isFull } from '../support/tier.ts';
import { type FurnishHome, sharedToolHome, type ToolHome } from '../support/tool-home.ts';
import { until, untilTrue } from '../support/until.ts';

const uid = 2_100_000_017;

/** A program of the agent, in a folder that only the daemon can name. */
interface Attacker extends AsyncDisposable {
  readonly said: () => string;
  readonly ended: Promise<number | null>;
}

function attack(cwd: string, perl: string): Attacker {
  const user = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--no-new-privs'];
  const child = spawn('setpriv', [...user, 'perl', '-e', `$| = 1;\n${perl}`], {
    ...{ cwd, env: {}, stdio: ['ignore', 'pipe', 'inherit'] },
  });
  let said = '';
  child.stdout?.on('data', (bytes: Buffer) => {
    said += bytes.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    said: () => said,
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** As ownFolders() does, before a program of the agent sees them. */
function give(...paths: readonly string[]): void {
  for (const path of paths) chownSync(path, uid, uid);
}

interface OwnedFolders {
  readonly home: ToolHome;
  readonly jean: string;
  readonly sam: string;
}

/** Jean's folders are jean's own. */
async function foldersOfJean(agents: FurnishHome): Promise<OwnedFolders> {
  const home = await agents('jean', 'sam');
  const [jean, sam] = [home.agent('jean').name, home.agent('sam').name];
  const outbox = outboxOf(home.home, jean);
  give(join(outbox, '.pending'), outbox, inboxOf(home.home, jean));
  return { home, jean, sam };
}

/** What jean has sent. */
function archived({
  home,
  jean,
}: OwnedFolders): { readonly path: string; readonly text: string }[] {
  const archive = join(home.home, 'archive');
  return readdirSync(archive, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => path.includes(`/${jean}/`))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

function messagesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.msg'));
}

// By the write protocol, with a descriptor that stays open.
const sending = `
sub put { my ($name, $text) = @_;
  open(my $file, '+>', ".pending/$name") or die "pending: $!";
  syswrite($file, $text); rename(".pending/$name", $name) or die "rename: $!";
  return $file; }
sub gone { my ($name) = @_; for (1..10000) { return 1 unless -e $name; select(undef, undef, undef, 0.001); } die "stays: $name"; }
`;

describe.skipIf(!isRoot || !isInstalled('setpriv'))('under root', () => {
  const agents = sharedToolHome();

  test('what lands in the archive is what was read, whoever still holds the file', async () => {
    const own = await foldersOfJean(agents);
    const { home, jean, sam } = own;
    await using attacker = attack(
      outboxOf(home.home, jean),
      `${sending}
       my $file = put('1-held.msg', "TO: ${sam}\\nKIND: message\\n\\nwhat was said");
       my $other = put('2-linked.msg', "TO: ${sam}\\nKIND: message\\n\\nwhat was said");
       link('2-linked.msg', 'second-name') or die "link: $!";
       gone('1-held.msg'); gone('2-linked.msg');
       select(undef, undef, undef, 0.3);
       sysseek($file, 0, 0); syswrite($file, "TO: ${sam}\\nKIND: message\\n\\nsomething new");
       if (open(my $again, '+<', 'second-name')) { syswrite($again, "TO: ${sam}\\nKIND: message\\n\\nsomething new"); }
       print "done";`,
    );

    await attacker.ended;

    expect(attacker.said()).toBe('done');
    const texts = archived(own);
    expect(texts).toHaveLength(2);
    for (const { path, text } of texts) {
      expect(text).toContain('what was said');
      expect(lstatSync(path)).toMatchObject({ uid: 0, nlink: 1 });
    }
  });

  test('content that changes under the same size and time is archived as it was accepted', async () => {
    const own = await foldersOfJean(agents);
    const { home, jean, sam } = own;
    const count = isFull ? 40 : 15;
    await using attacker = attack(
      outboxOf(home.home, jean),
      `${sending}
       my $head = "TO: ${sam}\\nKIND: message\\n\\n";
       for my $i (1..${count}) {
         my $name = sprintf('%03d-race.msg', $i);
         my $file = put($name, $head . 'A' x 2000 . sprintf('%03d', $i));
         my @times = (stat($file))[8, 9];
         for (1..300) { last unless -e $name;
           for my $letter ('B', 'A') { sysseek($file, length $head, 0); syswrite($file, $letter x 2000); utime(@times, $file); } }
         for (1..200) { sysseek($file, length $head, 0); syswrite($file, 'C' x 2000); utime(@times, $file); }
       }
       print "done";`,
    );

    await attacker.ended;
    await untilTrue(() => messagesIn(outboxOf(home.home, jean)).length === 0);

    expect(attacker.said()).toBe('done');
    // Some may still be on their way, to the archive or to sam.
    await until(() => {
      const accepted = lookIntoInbox(home.home, sam).map(({ body }) => body.trimEnd());
      const kept = archived(own).map(({ text }) => text.slice(text.indexOf('\n\n') + 2));
      // One that changed before it was moved went back, and of what looked like one before
      // nothing is kept.
      expect(kept.length).toBeGreaterThan(count / 2);
      for (const body of kept) expect(accepted).toContain(body.trimEnd());
    });
  });

  test('a symlink, a pipe and a folder bring nothing of the host, and hold nobody up', async () => {
    const own = await foldersOfJean(agents);
    const { home, jean, sam } = own;
    const secret = home.folder.at('secret.msg');
    writeFileSync(secret, `TO: ${jean}\nKIND: message\n\nfor the owner alone`, { mode: 0o600 });
    await using attacker = attack(
      outboxOf(home.home, jean),
      `${sending}
       symlink('${secret}', '1-link.msg') or die;
       system('/usr/bin/mkfifo', '2-pipe.msg');
       mkdir('3-folder.msg'); mkdir('3-folder.msg/below');
       put('4-good.msg', "TO: ${sam}\\nKIND: message\\n\\nhello");
       print "done";`,
    );
    await attacker.ended;

    await untilTrue(() => lookIntoInbox(home.home, sam).length === 1);
    await untilTrue(() => lookIntoInbox(home.home, jean).length >= 2);

    const told = lookIntoInbox(home.home, jean).map(({ body }) => body);
    expect(told.join('\n')).not.toContain('for the owner alone');
    expect(
      archived(own)
        .map(({ text }) => text)
        .join('\n'),
    ).not.toContain('owner alone');
    expect(lstatSync(secret)).toMatchObject({ uid: 0, nlink: 1 });
    expect(existsSync(join(outboxOf(home.home, jean), '3-folder.msg', 'below'))).toBe(true);
  });

  test('what comes into the inbox can be read and taken away by the agent alone', async () => {
    const { home, jean } = await foldersOfJean(agents);
    await home.daemon.client.send({ to: jean, kind: 'message', body: 'for jean' });
    await untilTrue(() => lookIntoInbox(home.home, jean).length === 1);

    await using reader = attack(
      inboxOf(home.home, jean),
      `my ($name) = glob('*.msg'); open(my $file, '<', $name) or die "read: $!";
       print <$file>; unlink($name) or die "unlink: $!";`,
    );
    await reader.ended;

    expect(reader.said()).toContain('for jean');
    expect(lookIntoInbox(home.home, jean)).toEqual([]);
  });
});

// Lets a folder and a symlink to elsewhere change places, as fast as it can.
const swapping = (name: string, target: string) => `
mkdir('real') unless -d '${name}';
symlink('${target}', 'link');
print "ready";
while (1) { rename('${name}', 'aside'); rename('link', '${name}'); rename('${name}', 'link'); rename('aside', '${name}'); }
`;

/** A folder of the agent's, and one of the owner's with an old message in it. */
function places(): TemporaryFolder {
  const folder = temporaryFolder();
  mkdirSync(folder.at('outbox/.pending'), { recursive: true });
  mkdirSync(folder.at('owners/below'), { recursive: true, mode: 0o700 });
  for (const name of ['owners/old.msg', 'owners/below/file']) {
    writeFileSync(folder.at(name), 'the owner’s');
    utimesSync(folder.at(name), 1, 1);
  }
  give(folder.at('outbox/.pending'), folder.at('outbox'));
  return folder;
}

describe.skipIf(!isRoot || !isInstalled('setpriv'))('a folder that becomes a symlink', () => {
  test('in the place of .pending has nothing swept, made or watched elsewhere', async () => {
    await using folder = places();
    const noticed: string[] = [];
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const deps: FolderDeps = {
      ...{ disk: realDisk, watching: realFileWatching, clock: realClock, log },
      tellOnce: () => {},
    };
    const onPending = (_: Outbox, name: string | undefined) => void noticed.push(name ?? '');
    {
      await using swapper = attack(folder.at('outbox'), swapping('.pending', folder.at('owners')));
      await untilTrue(() => swapper.said() !== '');
      for (let round = 0; round < 1500; round++) {
        const outbox = new Outbox('jean');
        await keepFolders(deps, outbox, folder.at('outbox'), { onOutbox: () => {}, onPending });
        await sweepPending(deps, outbox, folder.at('outbox'));
        writeFileSync(folder.at('owners/told.msg'), '');
        if (round % 50 === 0) await sleep(1);
        outbox.close();
      }
    }

    expect(readdirSync(folder.at('owners')).sort()).toEqual(['below', 'old.msg', 'told.msg']);
    expect(noticed).not.toContain('told.msg');
  });

  test('while a tree is removed has nothing removed elsewhere', async () => {
    await using folder = places();
    {
      await using swapper = attack(
        folder.at('outbox'),
        `symlink('${folder.at('owners')}', 'link'); print "ready";
         while (1) { mkdir('tree'); mkdir('tree/below'); rename('tree', 'aside'); rename('link', 'tree'); rename('tree', 'link'); rename('aside', 'tree');
           symlink('${folder.at('owners')}', 'link') unless -l 'link'; }`,
      );
      await untilTrue(() => swapper.said() !== '');
      for (let round = 0; round < 3000; round++) {
        await removeTree(realDisk, folder.at('outbox/tree')).catch((failure: unknown) => {
          // What is swapped meanwhile may be refused.
          if (!(failure instanceof AosError)) throw failure;
        });
      }
    }

    expect(readdirSync(folder.at('owners')).sort()).toEqual(['below', 'old.msg']);
    expect(readFileSync(folder.at('owners/below/file'), 'utf8')).toBe('the owner’s');
  });

  test('around a file that is made, the file is never given away elsewhere', async () => {
    await using folder = places();
    mkdirSync(folder.at('outbox/mid'));
    give(folder.at('outbox/mid'));
    const made: string[] = [];
    {
      await using swapper = attack(folder.at('outbox'), swapping('mid', folder.at('owners')));
      await untilTrue(() => swapper.said() !== '');
      for (let round = 0; round < 2000; round++) {
        try {
          await using _ = await realDisk.create(folder.at(`outbox/mid/file-${round}`));
          made.push(`file-${round}`);
        } catch (failure) {
          if (!(failure instanceof AosError)) throw failure;
        }
      }
    }

    // By a path that nobody holds it may go astray, and then it is the daemon's.
    expect(made.length).toBeGreaterThan(0);
    for (const name of readdirSync(folder.at('owners'))) {
      expect(lstatSync(folder.at('owners', name)).uid).toBe(0);
    }
  });

  test('planted before, is refused by whoever would hold it', async () => {
    await using folder = places();
    symlinkSync(folder.at('owners'), folder.at('outbox/link'));

    const held = realDisk.holdFolder(folder.at('outbox/link'));

    await expect(held).rejects.toMatchObject({ code: 'disk.not-a-folder' });
  });
});
