/** Words for what the file agent does not do, and whose work each is. */

export interface Refusal {
  readonly agent?: string;
  readonly message: string;
}

export const compressing =
  'Compressing and unpacking is work of the archive_agent; I move, copy, rename, find and delete files';
export const documents =
  'What is inside documents (summaries, conversion, translation) is work of the document_agent';
export const images = 'Changing images is work of the image_agent';
export const network =
  'Network drives are out of scope: I work with the files of this computer alone';
export const notYet =
  'Watching and syncing folders is not possible yet: I do one thing when you ask for it';
const others = 'That is out of scope: I only work with files and folders of this computer';

export const heads: readonly (readonly [Refusal, readonly string[]])[] = [
  [
    { agent: 'document_agent', message: documents },
    [
      ...[
        'summarise',
        'summarize',
        'sum up',
        'ocr',
        'translate',
        'transcribe',
        'proofread',
        'make a pdf',
        'create a pdf',
        'turn this',
        'turn the',
        'turn my',
        'turn all',
        'turn these',
        'turn those',
        'turn every',
        'turn a',
      ],
      ...['convert', 'give me a summary', 'make a summary', 'merge', 'explain', 'extract the text'],
      ...[
        'extract text',
        'split',
        'combine',
        'write a summary',
        'spell check',
        'analyse',
        'analyze',
      ],
    ],
  ],
  [
    { agent: 'archive_agent', message: compressing },
    [
      ...['compress', 'zip up', 'zip', 'unzip', 'untar', 'tar up', 'tar', 'gzip', 'gunzip', 'pack'],
      ...['decompress', 'uncompress', 'unpack', 'extract', 'unarchive', 'make a zip', 'bundle'],
      ...['create a zip', 'make an archive', 'create an archive', 'make a tarball', 'shrink'],
      ...['create a tarball', 'rar', 'unrar', 'create a compressed', 'make a compressed'],
    ],
  ],
  [
    { agent: 'image_agent', message: images },
    [
      ...['resize', 'crop', 'rotate', 'flip', 'blur', 'sharpen', 'brighten', 'scale down', 'scale'],
      ...[
        'make thumbnails',
        'create thumbnails',
        'make a thumbnail',
        'create a thumbnail',
        'edit the photo',
        'edit the image',
        'enhance',
      ],
      ...['remove the background', 'desaturate', 'make a collage', 'retouch', 'colorize'],
    ],
  ],
  [
    { message: notYet },
    [
      ...[
        'watch',
        'monitor',
        'sync',
        'synchronise',
        'synchronize',
        'mirror',
        'notify me',
        'tell me when',
      ],
      ...[
        'whenever',
        'every time',
        'every day',
        'every week',
        'every month',
        'every hour',
        'keep an eye',
      ],
      ...['alert me', 'schedule', 'automatically', 'each time', 'let me know when', 'keep'],
      ...['each day', 'each week', 'remind me', 'track changes', 'warn me'],
    ],
  ],
  [
    { message: network },
    [
      'search the web',
      'search the internet',
      'search online',
      'google',
      'upload',
      'download',
      'mount',
      'share',
      'sync to',
      'stream',
    ],
  ],
  [
    { message: others },
    [
      ...['send', 'email', 'e-mail', 'mail', 'forward', 'text', 'post', 'tweet', 'publish', 'play'],
      ...[
        'install',
        'uninstall',
        'run',
        'execute',
        'encrypt',
        'decrypt',
        'password protect',
        'password-protect',
        'tag',
      ],
      ...[
        'print',
        'call',
        'book',
        'order',
        'buy',
        'format',
        'burn',
        'set an alarm',
        'message',
        'what is the weather',
        'how is the weather',
        'what time is it',
        'what is the time',
        'tell me a joke',
        'change the permissions',
        'change permissions',
        'change the owner',
        'change ownership',
        'chmod',
        'chown',
        'set',
        'lock',
        'unlock',
        'protect',
        'hide',
        'unhide',
        'symlink',
        'fax',
        'defragment',
        'defrag',
        'reboot',
        'restart',
        'shut down',
        'turn off',
        'turn on',
        'launch',
        'eject',
        'unmount',
        'repair',
        'partition',
        'upgrade',
        'connect',
        'scan my computer',
        'scan my disk',
        'scan for viruses',
        'compare',
        'diff',
        'ask',
      ],
    ],
  ],
];

export const remote = [
  ...['google drive', 'gdrive', 'onedrive', 'one drive', 'dropbox', 'icloud', 's3', 'ftp', 'sftp'],
  ...['smb', 'nfs', 'webdav', 'network drive', 'network share', 'network drives', 'shared drive'],
  ...['nas', 'the cloud', 's3 bucket', 'sharepoint', 'the server', 'file server', 'nextcloud'],
  ...['cloud storage', 'my cloud', 'remote server', 'samba'],
];
