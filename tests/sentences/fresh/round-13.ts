/**
 * Sentences that once led to files which they do not name: a span of dates the wrong way round, a
 * folder that was passed over, a half of the sentence that was dropped. `rows.ts` says how to read
 * them; each was wrong when it was written down.
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
