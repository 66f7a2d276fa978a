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
Create a file named shopping.txt with milk, eggs and bread in it
  write_file ~/Projects/shop/shopping.txt; content milk, eggs and bread
Put the text 'draft' into Documents/Work/status.txt
  write_file ~/Documents/Work/status.txt; content draft
Save "abc" to Desktop/abc.txt
  write_file ~/Desktop/abc.txt; content abc
Make me a file, call it plan.txt, and put "phase one" in it
  write_file ~/Projects/shop/plan.txt; content phase one
Create notes.md on the desktop containing hello, world
  write_file ~/Desktop/notes.md; content hello, world
grep for TODO in Projects/shop
  search_files ~/Projects/shop; query TODO; search_in content; recursive
Open ~/Documents/letter.md and show me what it says
  read_file ~/Documents/letter.md
print config.json
  read_file ~/Projects/shop/config.json
print notes.txt twice
  refused nobody
how many gigs of music do I have
  get_disk_usage ~; type audio/*
I'd love to know which folders are the heaviest
  get_disk_usage ~
which types of files take up the most room?
  get_disk_usage ~
list documents alphabetically in Work
  list_files ~/Documents/Work; type_has docx; sort name; order asc; recursive
What's inside the shop project?
  list_files ~/Projects/shop
Does Documents contain any empty files?
  list_files ~/Documents; size_lt 1; recursive
From Downloads to Music, move all the flac files
  move_file ~/Downloads; destination ~/Music; type flac
Don't delete anything, just show me the old files in Downloads
  list_files ~/Downloads; sort modified; order asc; recursive; kind file
Show me the zips in Downloads but don't delete them yet
  list_files ~/Downloads; type zip; recursive
Don't delete the PDFs, list them
  asks
Do not delete anything, move the PDFs in Downloads to Archive
  asks
Any idea where my passport scan is?
  search_files ~; query passport scan; recursive
When you get a chance, move the PDFs in Downloads to Documents
  move_file ~/Downloads; destination ~/Documents; type pdf
shwo me my photos
  list_files ~; type image/*; recursive
lsit files in Downloads
  list_files ~/Downloads; kind file
delte zips in Downloads
  asks
moev the PDFs to Archive
  asks
So, what have I got lying around on the desktop?
  list_files ~/Desktop
Give me an overview of my Pictures folder
  list_files ~/Pictures
list the markdown and text files in Projects
  list_files ~/Projects; type_has md,txt; recursive
Which files are exact duplicates in Music?
  list_files ~/Music; duplicates; recursive
Just open the file named ideas.txt in Documents
  read_file ~/Documents/ideas.txt
is ~/Downloads/setup.dmg large?
  get_metadata ~/Downloads/setup.dmg
Show me the EXIF data of Pictures/beach.jpg
  get_metadata ~/Pictures/beach.jpg
is my Videos folder bigger than 20 GB?
  get_disk_usage ~/Videos
is there anything in Videos bigger than 20 GB?
  list_files ~/Videos; size_gt 20000000000; recursive
I had some notes, find the recipe for pancakes
  search_files ~; query recipe pancakes; recursive
Make a file hello.py in Projects containing print("hi")
  asks
Please note "dentist 9am Friday" in appointments.txt on the desktop
  write_file ~/Desktop/appointments.txt; content dentist 9am Friday
Store "ABC-123" in a file called key.txt under Documents/Work
  write_file ~/Documents/Work/key.txt; content ABC-123
Move photos taken before 2020 from Pictures to Archive/Old Photos
  move_file ~/Pictures; destination ~/Archive/Old Photos; type image/*; taken_before 2020-01-01
Delete everything in Archive/Old Photos
  delete_file ~/Archive/Old Photos/*; kind any
Delete everything in Archive/old photos
  asks
Move ~/Downloads/a.pdf to Archive/old photos
  asks
can you file the receipts under Taxes
  asks
Chuck out any exe files in Downloads
  delete_file ~/Downloads; type exe
chuck the exe files in Downloads
  asks
get shot of ~/Desktop/junk.txt
  delete_file ~/Desktop/junk.txt
Kill all .tmp files in this folder
  delete_file ~/Projects/shop; type tmp
delete all docs in Downloads
  delete_file ~/Downloads; type doc
list Work
  list_files ~/Documents/Work
show me Holiday 2026
  list_files ~/Pictures/Holiday 2026
list Work and everything in it
  list_files ~/Documents/Work; recursive
Delete Downloads/old and everything in it
  delete_file ~/Downloads/old
Delete the PDFs in Work and everything in it
  asks
Move all the files in Downloads to their proper folders
  asks
Write my name to me.txt
  asks
Move everything in Downloads that isn't a PDF to Archive
  move_file ~/Downloads; destination ~/Archive; exclude *.pdf
please get everything off my desktop
  asks
Rename the newest file in Downloads to latest.pdf
  rename_file ~/Downloads/*; destination latest.pdf; sort modified; order desc; limit 1; kind file
Delete the zips in Downloads. Actually, don't.
  asks
Delete files in Downloads larger than 1 GB or older than a year
  asks
Could the zips in Downloads be deleted?
  delete_file ~/Downloads; type zip
  asks
Which documents did I write in the week of 2 November?
  list_files ~; type_has docx; modified_after 2026-11-02; modified_before 2026-11-09; recursive
any zip bigger than 300 MB that's been sitting in Downloads for over 3 months?
  list_files ~/Downloads; type zip; size_gt 300000000; modified_before 2026-08-15T12:00; recursive
How many files did I create this month?
  list_files ~; created_after 2026-11-01; recursive; kind file
what is the average size of my photos?
  asks
search Work for anything to do with onboarding
  search_files ~/Documents/Work; query onboarding; recursive
which files have "2025" in their name?
  search_files ~; query 2025; search_in name; recursive
Tell me the size and date of photo.png in Pictures
  get_metadata ~/Pictures/photo.png
Change report.txt's name to report-old.txt
  rename_file ~/Projects/shop/report.txt; destination report-old.txt
change all jpgs to pngs
  asks
keep a copy of Taxes in Archive
  asks
  copy_file ~/Documents/Taxes; destination ~/Archive
Clean Downloads of everything older than a year
  asks
what's in photos.zip?
  refused archive_agent
open backup.zip
  refused archive_agent
Show me all the files I haven't used in ages
  list_files ~; sort modified; order asc; recursive; kind file
delete the files I haven't used in ages
  asks
Which PDFs in Downloads are between two and four weeks old?
  list_files ~/Downloads; type pdf; modified_after 2026-10-18T13:00; modified_before 2026-11-01T12:00; recursive
show me files exactly 1024 bytes long
  list_files ~; size_gt 1023; size_lt 1025; recursive
ls -la ~/Downloads
  list_files ~/Downloads
du -sh ~/Music
  get_disk_usage ~/Music
show me line 5 of notes.txt
  asks
which 5 folders in Pictures are largest?
  get_disk_usage ~/Pictures; limit 5
How long is essay.txt?
  get_metadata ~/Projects/shop/essay.txt
does ~/Documents/secret.txt exist?
  get_metadata ~/Documents/secret.txt
how much free space is left on the disk?
  get_disk_usage ~
Move all files with the extension .epub from Downloads to Documents/Books
  move_file ~/Downloads; destination ~/Documents/Books; type epub
bring ~/Archive/cv.docx back to the desktop
  move_file ~/Archive/cv.docx; destination ~/Desktop
make all filenames in Band lowercase
  rename_file ~/Music/Band/*; destination {name_lower}{ext}; kind file
Find the largest 3 videos in my home directory
  list_files ~; type video/*; sort size; order desc; limit 3; recursive
Make a duplicate of budget.xlsx named budget-copy.xlsx
  copy_file ~/Projects/shop/budget.xlsx; destination ~/Projects/shop/budget-copy.xlsx
Copy the file named x.txt to Archive
  copy_file ~/Projects/shop/x.txt; destination ~/Archive
Show what would be deleted if I removed everything older than a year from Archive
  delete_file ~/Archive; modified_before 2025-11-15T12:00; dry_run
List files in Downloads sorted by size, smallest first
  list_files ~/Downloads; sort size; order asc; recursive
Which of my downloads is the biggest?
  list_files ~/Downloads; sort size; order desc; limit 1; recursive
Read the first line of notes.txt
  asks
List all files except hidden ones in my home folder
  list_files ~; kind file
Delete any PDF in Downloads with the word "draft" in its filename
  delete_file ~/Downloads; type pdf; name *draft*
Delete only files larger than 3 GB in Videos
  delete_file ~/Videos; size_gt 3000000000
Delete all but 3 of the zips in Downloads
  asks
Delete all files in Downloads, especially the zips
  asks
Delete all PDFs in Downloads which I also have in Documents
  asks
Move photos to Pictures but leave the ones on the desktop
  asks
delete photos older than 10 years or smaller than 10KB in Pictures
  asks
Let me have a look at what is in Archive
  list_files ~/Archive
I'd appreciate a list of every PDF I've touched this year
  list_files ~; type pdf; modified_after 2026-01-01; recursive
Find all folders named backup
  search_files ~; query backup; search_in name; kind folder; recursive
What portion of my disk is taken up by music?
  get_disk_usage ~; type audio/*
Is Downloads getting too big?
  get_disk_usage ~/Downloads
I want a new file in Documents, goals.txt, with "run 5k" as its content
  write_file ~/Documents/goals.txt; content run 5k
Move PowerPoints in Downloads that are over 50 MB to Archive/Slides
  move_file ~/Downloads; destination ~/Archive/Slides; type powerpoint/*; size_gt 50000000
password-protect taxes.pdf
  refused nobody
pop music in Downloads
  list_files ~/Downloads; type audio/*; recursive
  search_files ~/Downloads; query pop; type audio/*; recursive
kill bill.mp4
  search_files ~; query kill bill.mp4; recursive
  asks
empty files in Downloads
  list_files ~/Downloads; size_lt 1; recursive
duplicate files in Music
  list_files ~/Music; duplicates; recursive
bin files in Projects
  asks
deleted files in Downloads
  asks
removed PDFs from Downloads
  asks
remove the zips in Downloads to make room
  delete_file ~/Downloads; type zip
copy notes.txt to Archive as a backup
  copy_file ~/Projects/shop/notes.txt; destination ~/Archive
`;
