/** Sentences as very different people type them; `rows.ts` says how to read them. */
export const round5 = `
I want to see what pictures I have from Holiday 2026
  list_files ~/Pictures/Holiday 2026; type image/*
  list_files ~/Pictures/Holiday 2026
Do me a favour and list the Work folder
  list_files ~/Documents/Work
need list of all excel sheets
  list_files ~; type_has xlsx
please to show files of yesterday
  list_files ~; modified_after 2026-11-14; modified_before 2026-11-15; kind file
pdf downloads this month
  list_files ~/Downloads; type pdf; modified_after 2026-11-01
docs I worked on this week
  list_files ~; type_has docx; modified_after 2026-11-09
  list_files ~/Documents; modified_after 2026-11-09
  list_files ~; type_has doc; modified_after 2026-11-09
Anything interesting in Downloads?
  list_files ~/Downloads
  search_files ~/Downloads; query interesting
  asks
which of the videos in Videos are over an hour old
  list_files ~/Videos; type video/*; modified_before 2026-11-15T11:00
Give me everything larger than 2 gigs
  list_files ~; size_gt 2000000000
How many PDFs do I have in total?
  list_files ~; type pdf
how many subfolders does Documents have
  list_files ~/Documents; kind folder
Has anything changed in Work since yesterday?
  list_files ~/Documents/Work; modified_after 2026-11-14
did anything change in Projects/shop today
  list_files ~/Projects/shop; modified_after 2026-11-15
what did I do last Tuesday
  list_files ~; modified_after 2026-11-10; modified_before 2026-11-11
  asks
where do I keep my passwords
  search_files ~; query passwords
Where's budget 2026.xlsx?
  search_files ~; query budget 2026.xlsx
Find me that song called Yellow
  search_files ~; query yellow; type audio/*; search_in name
find a file whose name starts with 2024
  list_files ~; name 2024*; kind file
find all files named notes.txt
  search_files ~; query notes.txt; search_in name
  list_files ~; name notes.txt
find emails about the conference
  search_files ~; query emails conference
  search_files ~; query conference; type eml
search for invoices over 1MB
  search_files ~; query invoices; size_gt 1000000
search Pictures for cats
  search_files ~/Pictures; query cats
search for John's contract
  search_files ~; query john contract
  search_files ~; query john's contract
search everywhere for "lorem ipsum"
  search_files ~; query lorem ipsum
Show me photos from July and August
  list_files ~; type image/*; modified_after 2026-07-01; modified_before 2026-09-01
  list_files ~; type image/*; taken_after 2026-07-01; taken_before 2026-09-01
photos of Berlin from 2022
  search_files ~; query berlin; type image/*; modified_after 2022-01-01; modified_before 2023-01-01
  search_files ~; query berlin; type image/*; taken_after 2022-01-01; taken_before 2023-01-01
photos from the last weekend
  list_files ~; type image/*; modified_after 2026-11-07; modified_before 2026-11-09
  list_files ~; type image/*; taken_after 2026-11-07; taken_before 2026-11-09
what's the newest video?
  list_files ~; type video/*; sort modified; order desc; limit 1
the 3 heaviest folders in Projects
  get_disk_usage ~/Projects
  get_disk_usage ~/Projects; limit 3
  list_files ~/Projects; kind folder; sort size; order desc; limit 3
biggest 10 files older than a year
  list_files ~; modified_before 2025-11-15T12:00; sort size; order desc; limit 10
list everything in Downloads by date
  list_files ~/Downloads; sort modified; order desc
  list_files ~/Downloads; sort modified; order asc
Show Documents ordered by name
  list_files ~/Documents; sort name; order asc
show pdfs in Work that aren't invoices
  list_files ~/Documents/Work; type pdf; exclude *invoice*
  list_files ~/Documents/Work; type pdf; exclude *invoices*
  asks
  search_files ~/Documents/Work; query_has invoices; type pdf
show everything in Pictures apart from the Screenshots folder
  list_files ~/Pictures; exclude Screenshots
list files at least 1 MB big in Music
  list_files ~/Music; size_gt 999999
files exactly 0 bytes
  list_files ~; size_lt 1
  asks
files between 100 and 200 kilobytes in Work
  list_files ~/Documents/Work; size_gt 100000; size_lt 200000
files under 1 MiB
  list_files ~; size_lt 1048576
>100MB
  list_files ~; size_gt 100000000
  asks
how big are my downloads altogether
  get_disk_usage ~/Downloads
how much space is left on my disk
  asks
  refused any
  get_disk_usage ~
how much space do mp4 and mkv files use?
  get_disk_usage ~; type mp4,mkv
How much of my disk is music?
  get_disk_usage ~; type audio/*
  get_disk_usage ~/Music
What's the size of this folder?
  get_disk_usage ~/Projects/shop
How big is report.pdf in Work
  get_metadata ~/Documents/Work/report.pdf
what is ~/Downloads/thing.xyz
  get_metadata ~/Downloads/thing.xyz
who made ~/Documents/letter.docx
  get_metadata ~/Documents/letter.docx
  asks
  refused any
show info for ~/Pictures/cat.jpg
  get_metadata ~/Pictures/cat.jpg
which camera took ~/Pictures/IMG_1.jpg
  get_metadata ~/Pictures/IMG_1.jpg
  asks
  refused image_agent
when did I download setup.exe?
  get_metadata ~/Downloads/setup.exe
  search_files ~; query setup.exe
  get_metadata ~/Projects/shop/setup.exe
does notes.txt exist in Documents
  get_metadata ~/Documents/notes.txt
  search_files ~/Documents; query notes.txt
  search_files ~/Documents; query notes.txt; search_in name
  list_files ~/Documents; name notes.txt
view ~/Projects/shop/index.html
  read_file ~/Projects/shop/index.html
Please open notes.txt in the Work folder
  read_file ~/Documents/Work/notes.txt
show me what's written in diary.md
  read_file ~/Projects/shop/diary.md
I'd like to read ~/Documents/story.txt
  read_file ~/Documents/story.txt
what's in todo.md
  read_file ~/Projects/shop/todo.md
are there duplicates in my home folder?
  list_files ~; duplicates
find duplicate pdfs in Downloads and Documents
  asks
list both hidden and normal files in Projects
  list_files ~/Projects; hidden; kind file
  asks
show pictures in subfolders of Documents
  list_files ~/Documents; type image/*
Move the contents of Desktop to Archive
  move_file ~/Desktop/*; destination ~/Archive; kind any
Move all the pictures that I took in June from Downloads to Pictures
  move_file ~/Downloads; type image/*; taken_after 2026-06-01; taken_before 2026-07-01; destination ~/Pictures
move all jpegs from the Desktop into Pictures/Holiday 2026
  move_file ~/Desktop; type jpeg; destination ~/Pictures/Holiday 2026
Move the PDFs out of Desktop into Work
  move_file ~/Desktop; type pdf; destination ~/Documents/Work
move text files bigger than 5kB from here to Archive
  asks
can we move budget.ods from Desktop to Documents please
  move_file ~/Desktop/budget.ods; destination ~/Documents
all pdfs in Downloads should be moved to Work
  move_file ~/Downloads; type pdf; destination ~/Documents/Work
  asks
In Downloads, move the zips to Archive
  move_file ~/Downloads; type_has zip; destination ~/Archive
Move ~/Desktop/plan.txt into Documents/Work/Plans
  move_file ~/Desktop/plan.txt; destination ~/Documents/Work/Plans
move yesterday's downloads to Desktop
  move_file ~/Downloads; modified_after 2026-11-14; modified_before 2026-11-15; destination ~/Desktop
move png files modified in the last 10 days from Desktop to Screenshots
  move_file ~/Desktop; type png; modified_after 2026-11-05T12:00; destination ~/Pictures/Screenshots
Move Projects/shop/old.txt to the trash
  delete_file ~/Projects/shop/old.txt
move the Screenshots folder to the Desktop
  move_file ~/Pictures/Screenshots; destination ~/Desktop
move everything in Archive newer than 1 January 2026 to Documents
  move_file ~/Archive; modified_after 2026-01-02; destination ~/Documents
  move_file ~/Archive; modified_after 2026-01-01; destination ~/Documents
Put a.pdf in Work
  move_file ~/Projects/shop/a.pdf; destination ~/Documents/Work
put all csv files from Downloads into the folder "Data 2026"
  move_file ~/Downloads; type csv; destination ~/Data 2026
copy ~/.bashrc to Archive
  copy_file ~/.bashrc; destination ~/Archive
Copy all videos from Desktop to Videos and skip existing files
  copy_file ~/Desktop; type video/*; on_conflict skip; destination ~/Videos
copy files larger than 1 gb from Videos to Archive recursively
  copy_file ~/Videos; size_gt 1000000000; recursive; destination ~/Archive
make a copy of the Work folder in Archive
  copy_file ~/Documents/Work; destination ~/Archive
  asks
Please back up Documents/Taxes to ~/Backup
  copy_file ~/Documents/Taxes; destination ~/Backup
copy the three most recent pdfs in Downloads to Desktop
  copy_file ~/Downloads; type pdf; sort modified; order desc; limit 3; destination ~/Desktop
Delete temp files from Projects
  delete_file ~/Projects; type tmp
Remove ~/Downloads/old folder
  delete_file ~/Downloads/old
  delete_file ~/Downloads/old folder
  asks
delete every gif from the Downloads folder
  delete_file ~/Downloads; type gif
Remove all photos from Desktop except cat.jpg
  delete_file ~/Desktop; type image/*; exclude cat.jpg
delete installers in Downloads older than half a year
  delete_file ~/Downloads; type_has exe,msi; modified_before 2026-05-15T12:00
delete all downloaded zips
  delete_file ~/Downloads; type_has zip
Delete the files in Screenshots from last year
  delete_file ~/Pictures/Screenshots; modified_after 2025-01-01; modified_before 2026-01-01
get rid of pngs in Desktop permanently
  delete_file ~/Desktop; type png; permanent
erase ~/Desktop/secret.txt for good
  delete_file ~/Desktop/secret.txt; permanent
Clear out the Screenshots folder
  delete_file ~/Pictures/Screenshots/*; kind any
delete all files bigger than 4GB in Videos recursively
  delete_file ~/Videos; size_gt 4000000000; recursive
can you get rid of notes-old.txt on my desktop?
  delete_file ~/Desktop/notes-old.txt
Remove duplicate photos in Pictures
  asks
find all tmp files in Downloads and delete them
  delete_file ~/Downloads; type tmp
  asks
rename ~/Documents/a.txt to b.txt
  rename_file ~/Documents/a.txt; destination b.txt
Rename the file old.txt in Work to new.txt
  rename_file ~/Documents/Work/old.txt; destination new.txt
rename all images on the Desktop by date taken
  rename_file ~/Desktop; type image/*; destination {taken}{ext}
Rename all pdfs in Invoices to lowercase
  rename_file ~/Documents/Invoices; type pdf; destination {name_lower}{ext}
add suffix _2026 to every file in Taxes
  rename_file ~/Documents/Taxes/*; destination {name}_2026{ext}; kind file
Rename Screenshots to Captures
  rename_file ~/Pictures/Screenshots; destination Captures
call notes.txt ideas.txt from now on
  asks
  refused any
  rename_file ~/Projects/shop/notes.txt; destination ideas.txt
Write a file named log.txt in Work containing "started"
  write_file ~/Documents/Work/log.txt; content started
Create ~/Desktop/list.txt with "apples"
  write_file ~/Desktop/list.txt; content apples
preview: move all pdfs in Downloads to Work
  move_file ~/Downloads; type pdf; destination ~/Documents/Work; dry_run
Only show me what would happen: delete all zips in Downloads
  delete_file ~/Downloads; type_has zip; dry_run
tar up the Work folder
  refused archive_agent
give me a summary of report.pdf
  refused document_agent
make beach.jpg brighter
  refused image_agent
backup my files to the cloud
  refused any
fax contract.pdf to the office
  refused any
  asks
`;
