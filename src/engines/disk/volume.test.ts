import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { fileSystemOf, localTops, realVolume } from './volume.ts';

const mountinfo = String.raw`22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw
30 27 0:40 / /home rw,relatime shared:5 - nfs4 server:/home rw
31 30 0:41 / /home/jean\040doe rw - fuse.sshfs jean@far: rw
32 27 0:42 / /odd\134040name rw - xfs /dev/vdb rw
33 27 0:43 / /stack rw - btrfs /dev/vdc rw
34 33 0:44 / /stack rw - tmpfs tmpfs rw
35 27 0:45 / /a-mount - no-options-field
`;

test('fileSystemOf() takes the deepest mount above a path', () => {
  expect(fileSystemOf(mountinfo, '/var/lib')).toBe('ext4');
  expect(fileSystemOf(mountinfo, '/home')).toBe('nfs4');
  expect(fileSystemOf(mountinfo, '/home/jared/notes')).toBe('nfs4');
  expect(fileSystemOf(mountinfo, '/proc/self')).toBe('proc');
});

test('fileSystemOf() does not take a folder for a mount whose name it only begins with', () => {
  expect(fileSystemOf(mountinfo, '/homes')).toBe('ext4');
});

test('fileSystemOf() decodes the octal escapes of a mount point, each once', () => {
  expect(fileSystemOf(mountinfo, '/home/jean doe/mail')).toBe('fuse.sshfs');
  expect(fileSystemOf(mountinfo, String.raw`/odd\040name/x`)).toBe('xfs');
});

test('fileSystemOf() takes the upper one of two mounts on the same folder', () => {
  expect(fileSystemOf(mountinfo, '/stack/x')).toBe('tmpfs');
});

test('fileSystemOf() passes over lines that it cannot read', () => {
  expect(fileSystemOf(mountinfo, '/a-mount')).toBe('ext4');
  expect(fileSystemOf('', '/')).toBeUndefined();
});

test('localTops() names each disk of this machine once, and none of a network', () => {
  expect(localTops(mountinfo)).toEqual(['/', String.raw`/odd\040name`, '/stack']);
});

test('usage() tells the size, the free room and the type of the disk below a folder', async () => {
  await using folder = temporaryFolder();

  const usage = await realVolume.usage(folder.path);

  expect(usage.usedBytes).toBeGreaterThanOrEqual(0);
  expect(usage.freeBytes).toBeGreaterThanOrEqual(0);
  expect(usage.writableFiles).toBeGreaterThan(0);
  expect(typeof usage.fileSystem).toBe(process.platform === 'linux' ? 'string' : 'undefined');
});

test('usage() asks the nearest existing parent about a path that does not exist yet', async () => {
  await using folder = temporaryFolder();

  const usage = await realVolume.usage(folder.at('not', 'yet', 'there'));

  const parent = await realVolume.usage(folder.path);
  expect(usage).toMatchObject({
    fileSystem: parent.fileSystem,
  });
});

test('usage() refuses a path that can never exist', async () => {
  await expect(realVolume.usage('a\0b')).rejects.toMatchObject({ code: 'disk.bad-name' });
});
