/** Words for kinds of files, as people ask for them, and the endings that such files have. */
const endings: Readonly<Record<string, string>> = {
  photo: 'jpg jpeg png heic heif webp gif tif tiff raw dng cr2 nef arw',
  video: 'mp4 mov mkv avi webm m4v mpg mpeg wmv',
  song: 'mp3 flac m4a wav ogg opus aac wma',
  spreadsheet: 'xlsx xls ods csv tsv numbers',
  presentation: 'pptx ppt odp key',
  document: 'pdf doc docx odt rtf txt md pages tex',
  archive: 'zip tar gz tgz bz2 xz zst 7z rar',
};

const alsoCalled: Readonly<Record<string, string>> = {
  picture: 'photo',
  image: 'photo',
  movie: 'video',
  film: 'video',
  clip: 'video',
  music: 'song',
  audio: 'song',
  recording: 'song',
  slide: 'presentation',
  slideshow: 'presentation',
};

/** Whether files with this ending are what the word, a stem, stands for. */
export function isTypeWord(stem: string, ending: string): boolean {
  const listed = endings[alsoCalled[stem] ?? stem];
  return listed?.split(' ').includes(ending) ?? false;
}
