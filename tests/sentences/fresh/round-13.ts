/**
 * Sentences that once led to files which they do not name: a span of dates the wrong way round, a
 * folder that was passed over, a half of the sentence that was dropped. `rows.ts` says how to read
 * them; nearly all were wrong when they were written down, the others stand beside those.
 */
const folders = [
  ...['Archive', 'Documents/Ahmed', 'Documents/Work', 'Music/Beatles', 'code', 'code/synth'],
  'notes',
];

export const misread = [
  {
    home: 'maya',
    here: '',
    folders,
    sentences: `
delete files from today and yesterday in Downloads
  asks
delete files in Downloads from Tuesday and Monday
  asks
delete files in Downloads from this week and last week
  asks
delete files in Downloads from the last week and the last month
  asks
delete files in Downloads between today and yesterday
  asks
delete files in Downloads from 10 November to 1 November
  asks
delete files in Downloads from 10 November 2026 to 1 November 2026
  asks
delete files in Downloads between November and September
  asks
delete files in Downloads from today to 8 months ago
  asks
delete files in Downloads from November to February
  delete_file ~/Downloads; modified_after 2025-11-01; modified_before 2026-03-01
delete files in Downloads from 20 December to 5 January
  delete_file ~/Downloads; modified_after 2025-12-20; modified_before 2026-01-06
delete all txt files in ..
  asks
delete all txt files in -
  asks
delete all txt files in the folder
  asks
delete all txt files from the folder
  asks
delete all txt files in my folder
  asks
delete all txt files in that folder
  asks
delete all txt files inside the directory
  asks
delete all txt files
  delete_file ~; type txt; recursive
delete notes.txt and everything in Documents
  asks
delete todo.txt and the Archive folder
  asks
delete Ahmed and notes.txt
  asks
delete clip.webm with everything in Downloads
  asks
delete clip.webm and files
  asks
move clip.webm and all files to Archive
  asks
delete all txt files and folders in Downloads
  asks
delete all pdfs except the Ahmed ones
  delete_file ~; type pdf; exclude *Ahmed*; recursive
delete all pdfs except Ahmed's
  delete_file ~; type pdf; exclude *Ahmed*; recursive
delete all pdfs except Ahmed
  delete_file ~; type pdf; exclude *Ahmed*; recursive
delete all mp3s except the Beatles ones
  delete_file ~; type mp3; exclude *Beatles*; recursive
delete all pdfs in Downloads except from Ahmed
  delete_file ~/Downloads; type pdf; exclude *Ahmed*
delete all pdfs in Downloads except those from Ahmed
  delete_file ~/Downloads; type pdf; exclude *Ahmed*
delete all pdfs in Downloads except "scan [2].pdf"
  delete_file ~/Downloads; type pdf; exclude scan [[]2].pdf
delete all txt files in Downloads except "plan v1.2"
  delete_file ~/Downloads; type txt; exclude *plan v1.2*
delete all pdfs in Documents except the Ahmed folder
  delete_file ~/Documents; type pdf; exclude Ahmed
delete all wav files in Music except "take 1"
  delete_file ~/Music; type wav; exclude *take 1*
delete everything in Downloads except "notes"
  delete_file ~/Downloads; exclude *notes*
delete everything in Downloads except "a [1]"
  delete_file ~/Downloads; exclude *a [[]1]*
delete everything in Downloads except ~/Downloads/notes.txt
  delete_file ~/Downloads; exclude notes.txt
delete everything in Downloads except Downloads/notes.txt
  delete_file ~/Downloads; exclude notes.txt
delete everything in Downloads except Downloads/old/notes.txt
  asks
delete all txt files except ~/Downloads/notes.txt
  delete_file ~; type txt; exclude notes.txt; recursive
delete all pdfs except in Downloads and Documents
  delete_file ~; type pdf; exclude Downloads, Documents; recursive
delete everything in Downloads except the Archive
  delete_file ~/Downloads; exclude Archive, *.zip, *.tar, *.gz, *.tgz, *.bz2, *.tbz2, *.xz, *.txz, *.zst, *.lz4, *.7z, *.rar
delete ""
  asks
delete song (1).mp3
  asks
delete song two.mp3
  asks
rename song two.mp3 to x.mp3
  asks
move song (1).mp3 to Archive
  asks
delete "song two.mp3"
  delete_file ~/song two.mp3
delete the file notes.txt
  delete_file ~/notes.txt
delete everything in Downloads except my report.pdf
  delete_file ~/Downloads; exclude report.pdf, my report.pdf
delete everything in Downloads except the plan.txt
  delete_file ~/Downloads; exclude plan.txt, the plan.txt
delete everything in Downloads except song two.mp3
  asks
delete everything in Downloads except ~/Downloads/my notes.txt
  asks
delete doc files
  delete_file ~; type doc; recursive
delete all docs
  delete_file ~; type doc; recursive
delete jpg files in Downloads
  delete_file ~/Downloads; type jpg
delete jpegs in Downloads
  delete_file ~/Downloads; type jpeg
delete jpg and jpeg files in Downloads
  delete_file ~/Downloads; type jpg,jpeg
find jpgs
  list_files ~; type jpg,jpeg
delete */*
  asks
delete [a-z]*
  asks
delete ?*
  asks
delete IMG_*
  delete_file ~; name IMG_*; recursive
`,
  },
  {
    home: 'maya',
    here: 'code/synth',
    folders,
    sentences: `
delete all txt files in .
  delete_file ~/code/synth; type txt
delete all txt files under .
  delete_file ~/code/synth; type txt
list txt files in .
  list_files ~/code/synth; type txt
delete all txt files
  delete_file ~/code/synth; type txt
delete .txt files
  delete_file ~/code/synth; type txt
delete *.txt
  delete_file ~/code/synth; type txt
delete txt
  delete_file ~/code/synth; type txt
move all txt files to Archive
  move_file ~/code/synth; destination ~/Archive; type txt
delete all files named Thumbs.db
  delete_file ~/code/synth; name Thumbs.db
delete all txt files everywhere
  delete_file ~; type txt; recursive
delete everything
  asks
find all txt files
  list_files ~; type txt
`,
  },
];
