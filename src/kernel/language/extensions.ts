/** Endings of names that are also spoken of: "the jpgs", "all ico files". */
export const extensions: ReadonlySet<string> = new Set(
  [
    'pdf jpg jpeg png gif heic heif avif jfif webp tiff tif bmp svg psd ico mp3 mp4 m4a m4v mov avi',
    'mkv webm wmv flv 3gp ogv wav flac ogg opus aiff txt md csv tsv xlsx xls ods doc docx odt rtf',
    'ppt pptx odp rar 7z tar gz tgz iso dmg exe msi deb rpm apk html htm css js jsx ts tsx json xml',
    'yaml yml toml sql py cpp rb php sh bat tmp bak epub mobi ics eml vcf torrent ttf otf tex ipynb',
    'mpg mpeg wma aac srt',
  ]
    .join(' ')
    .split(' '),
);

/**
 * What each family may be called when it is to be left out. Whatever is missing here would not be
 * spared: rather one too many.
 */
export const spelledOut: Readonly<Record<string, string>> = {
  'image/*':
    'jpg,jpeg,jpe,jfif,png,apng,gif,heic,heif,avif,webp,tiff,tif,bmp,svg,ico,psd,jxl,raw,cr2,cr3,nef,arw,dng,orf,rw2,raf',
  'video/*': 'mp4,m4v,mov,avi,mkv,webm,mpg,mpeg,wmv,flv,3gp,3g2,ogv,mts,m2ts,vob',
  'audio/*': 'mp3,m4a,m4b,wav,flac,ogg,oga,opus,aac,wma,aiff,aif,mid,midi,amr',
};
