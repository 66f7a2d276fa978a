/** Sentences as very different people type them; `rows.ts` says how to read them. */
export const round10 = `
Move the Work folder to Old Stuff
  move_file ~/Documents/Work; destination ~/Old Stuff
Copy the Band folder to a folder called Music Files
  copy_file ~/Music/Band; destination ~/Music Files
rename the folder Archive to Old Stuff
  rename_file ~/Archive; destination Old Stuff
I want all mp4s bigger than 700 MB in Downloads moved to Videos
  move_file ~/Downloads; destination ~/Videos; type mp4; size_gt 700000000
I'd like report.pdf on the desktop renamed to report-2026.pdf
  rename_file ~/Desktop/report.pdf; destination report-2026.pdf
I want everything older than 2 years in Downloads removed, please
  delete_file ~/Downloads; modified_before 2024-11-15T12:00
I need the PDFs deleted yesterday
  asks
I want the files I moved to Archive
  asks
I want the zips in Downloads gone
  asks
I don't want notes.txt any more
  asks
Can you call IMG_001.jpg "beach.jpg" instead?
  rename_file ~/Projects/shop/IMG_001.jpg; destination beach.jpg
give ~/Downloads/scan.pdf the name passport.pdf
  rename_file ~/Downloads/scan.pdf; destination passport.pdf
call mum
  refused nobody
Duplicate notes.md as notes-old.md
  copy_file ~/Projects/shop/notes.md; destination ~/Projects/shop/notes-old.md
I need a copy of Documents/letter.docx on my desktop
  copy_file ~/Documents/letter.docx; destination ~/Desktop
save a copy of main.py to Archive as main-backup.py
  copy_file ~/Projects/shop/main.py; destination ~/Archive/main-backup.py
Copy notes.txt to Archive and call it notes-2026.txt
  copy_file ~/Projects/shop/notes.txt; destination ~/Archive/notes-2026.txt
Move report.pdf to Documents and rename it
  asks
Copy all PDFs in Downloads to Archive as a.pdf
  asks
Put a copy of budget.xlsx on the desktop
  copy_file ~/Projects/shop/budget.xlsx; destination ~/Desktop
remove the photos from Downloads to Archive
  asks
dump all the PDFs from Downloads into Documents
  move_file ~/Downloads; destination ~/Documents; type pdf
toss the zips in Downloads into the trash
  delete_file ~/Downloads; type zip
Delete all the zips in Downloads
  delete_file ~/Downloads; type zip
Move everything out of Downloads into Archive, but leave the zips alone
  move_file ~/Downloads; destination ~/Archive; exclude *.zip
`;
