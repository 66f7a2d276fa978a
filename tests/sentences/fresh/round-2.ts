/** Sentences as very different people type them; `rows.ts` says how to read them. */
export const round2 = `
Gimme the PDFs in Work
  list_files ~/Documents/Work; type pdf
I can't find my rental agreement, can you help?
  search_files ~; query rental agreement
Have I got any recordings from the choir?
  search_files ~; query choir; type audio/*
  search_files ~; query recordings choir
  search_files ~; query choir
list everything bigger than a gigabyte that I haven't opened since January
  asks
  list_files ~; size_gt 1000000000; modified_before 2026-01-01
  list_files ~; size_gt 1000000000; modified_before 2026-02-01
  search_files ~; query_has opened; size_gt 1000000000
what's new in Downloads?
  list_files ~/Downloads; sort modified; order desc
  list_files ~/Downloads
  list_files ~/Downloads; sort created; order desc
Show me what changed in Projects in the last 24 hours
  list_files ~/Projects; modified_after 2026-11-14T12:00
please show the first 15 files of Music
  list_files ~/Music; limit 15; kind file
Is my Downloads folder bigger than 10GB?
  get_disk_usage ~/Downloads
  list_files ~/Downloads; size_gt 10000000000
how much do the invoices from 2025 take up on disk?
  get_disk_usage ~/Documents/Invoices; modified_after 2025-01-01; modified_before 2026-01-01
  asks
  get_disk_usage ~; name *invoice*; modified_after 2025-01-01; modified_before 2026-01-01
photos from the week before last
  list_files ~; type image/*; modified_after 2026-10-26; modified_before 2026-11-02
  list_files ~; type image/*; taken_after 2026-10-26; taken_before 2026-11-02
pics I took on 24 December 2025
  list_files ~; type image/*; taken_after 2025-12-24; taken_before 2025-12-25
list the svg and ico files below Projects
  list_files ~/Projects; type svg,ico
  list_files ~/Projects; type ico,svg
Videos, please
  list_files ~/Videos
  list_files ~; type video/*
images in Documents smaller than 200 KB, largest first
  list_files ~/Documents; type image/*; size_lt 200000; sort size; order desc
What is the second largest file here?
  asks
  list_files ~/Projects/shop; sort size; order desc; limit 2
  search_files ~/Projects/shop; query second; sort size; order desc; limit 1
  list_files ~/Projects/shop; sort size; order desc
Find me a recipe for lentil soup
  search_files ~; query recipe lentil soup
search my documents for the phrase "force majeure"
  search_files ~/Documents; query force majeure; search_in content
  search_files ~; type_has docx; query force majeure; search_in content
  search_files ~/Documents; query force majeure
which python files import requests
  search_files ~; query import requests; type py
  search_files ~; query import requests; type py; search_in content
  search_files ~; query requests; type py; search_in content
any files ending in .bak?
  list_files ~; type bak
  list_files ~; name *.bak; kind file
files starting with IMG_ in Pictures
  list_files ~/Pictures; name IMG_*; kind file
  search_files ~/Pictures; query IMG_; search_in name
everything whose name contains budget
  search_files ~; query budget; search_in name
  list_files ~; name *budget*
Show me documents edited by me this morning
  list_files ~; type_has docx; modified_after 2026-11-15
  list_files ~/Documents; modified_after 2026-11-15
  list_files ~; type_has docx; modified_after 2026-11-15; modified_before 2026-11-15T12:00
  search_files ~; query_has morning; type_has docx; modified_after 2026-11-15
what's in the root of my home
  list_files ~
go through Archive and tell me what's older than 10 years
  list_files ~/Archive; modified_before 2016-11-15T12:00
how long ago did I change ~/Documents/will.odt?
  get_metadata ~/Documents/will.odt
is ~/Downloads/photo.heic really an image
  get_metadata ~/Downloads/photo.heic
  list_files ~/Downloads/photo.heic; type image/*
what size is movie.mkv in Videos
  get_metadata ~/Videos/movie.mkv
  get_disk_usage ~/Videos/movie.mkv
display ~/Projects/shop/src/main.ts
  read_file ~/Projects/shop/src/main.ts
Let me see the text of Documents/poem.txt
  read_file ~/Documents/poem.txt
can I have a look at config.yaml?
  read_file ~/Projects/shop/config.yaml
  search_files ~; query config.yaml
show the first 100 bytes of data.bin
  asks
  read_file ~/Projects/shop/data.bin; length 100
show folders in Pictures that are empty
  list_files ~/Pictures; kind folder; size_lt 1
  asks
  list_files ~/Pictures; kind folder
Which presentations did I make in the second quarter?
  list_files ~; type_has pptx; modified_after 2026-04-01; modified_before 2026-07-01
  list_files ~; type_has pptx; created_after 2026-04-01; created_before 2026-07-01
  search_files ~; query_has quarter; type_has pptx
how many files are there in Downloads that are over 50 megs
  list_files ~/Downloads; size_gt 50000000
find big old videos
  list_files ~; type video/*; sort size; order desc
  search_files ~; query big old; type video/*
  asks
  list_files ~; type video/*; sort modified; order asc
  list_files ~; type video/*
Find files that I created between Monday and Wednesday
  list_files ~; created_after 2026-11-09; created_before 2026-11-12; kind file
songs added to Music in october
  list_files ~/Music; type audio/*; modified_after 2026-10-01; modified_before 2026-11-01
  list_files ~/Music; type audio/*; created_after 2026-10-01; created_before 2026-11-01
  list_files ~/Music; modified_after 2026-10-01; modified_before 2026-11-01
who is the owner of ~/Desktop/report.pdf
  get_metadata ~/Desktop/report.pdf
  get_metadata ~/Desktop/report.pdf; technical
list *.csv in Work sorted by name
  list_files ~/Documents/Work; type csv; sort name; order asc
  list_files ~/Documents/Work/*.csv; sort name; order asc
  list_files ~/Documents/Work; name *.csv; sort name; order asc
Everything from 2023 goes to Archive
  asks
  move_file ~; modified_after 2023-01-01; modified_before 2024-01-01; recursive; destination ~/Archive
Stick all the MP4s from my desktop in Videos
  move_file ~/Desktop; type mp4; destination ~/Videos
  asks
file away invoices
  asks
Send the pdfs in Downloads to Documents/Work
  move_file ~/Downloads; type pdf; destination ~/Documents/Work
  asks
Would you please move holiday.mp4 from Downloads to Videos?
  move_file ~/Downloads/holiday.mp4; destination ~/Videos
I'd like the spreadsheets on the Desktop moved to Work
  move_file ~/Desktop; type spreadsheet/*; destination ~/Documents/Work
  asks
move the oldest 20 photos in Pictures to Archive
  move_file ~/Pictures; type image/*; sort modified; order asc; limit 20; destination ~/Archive
  move_file ~/Pictures; type image/*; sort taken; order asc; limit 20; destination ~/Archive
  asks
Move all PDFs I downloaded yesterday to Taxes
  move_file ~/Downloads; type pdf; modified_after 2026-11-14; modified_before 2026-11-15; destination ~/Documents/Taxes
move to Archive all zip files from Downloads
  move_file ~/Downloads; type zip; destination ~/Archive
  move_file ~/Downloads; type_has zip; destination ~/Archive
Move files from Downloads to Archive unless they are images
  asks
  move_file ~/Downloads; exclude image/*; destination ~/Archive
move anything but videos from Downloads to Archive
  asks
  move_file ~/Downloads; exclude_has *.mp4,*.mkv,*.wmv; destination ~/Archive
move the documents folder into archive
  move_file ~/Documents; destination ~/Archive
move all files in Work and its subfolders older than 6 months to Archive
  move_file ~/Documents/Work; modified_before 2026-05-15T12:00; recursive; destination ~/Archive
Move everything in Downloads and Desktop to Archive
  asks
move Invoices/2024.pdf to Archive and rename it to old.pdf
  move_file ~/Documents/Invoices/2024.pdf; destination ~/Archive/old.pdf
Move everything from Archive back to Documents
  move_file ~/Archive/*; destination ~/Documents; kind any
move ~/Downloads/* to ~/Archive
  move_file ~/Downloads/*; destination ~/Archive; kind file
move photos and videos from Downloads to Pictures
  move_file ~/Downloads; type image/*,video/*; destination ~/Pictures
  asks
Move the file called "don't delete.txt" from Desktop to Archive
  move_file ~/Desktop/don't delete.txt; destination ~/Archive
  asks
Delete "invoice and receipt.pdf" in Downloads
  delete_file ~/Downloads/invoice and receipt.pdf
delete jpgs in Pictures taken before 2015
  delete_file ~/Pictures; type jpg; taken_before 2015-01-01
Delete all but the newest 5 files in Downloads
  asks
Delete every second file in Downloads
  asks
delete screenshots older than 3 months
  delete_file ~; type image/*; name *screenshot*; modified_before 2026-08-15T12:00; recursive
  delete_file ~/Pictures/Screenshots; modified_before 2026-08-15T12:00
  delete_file ~/Pictures/Screenshots; type image/*; modified_before 2026-08-15T12:00
  asks
Kindly remove the videos over 4 GB from my Videos folder
  delete_file ~/Videos; type video/*; size_gt 4000000000
i no longer need the zip files in Downloads, delete them
  delete_file ~/Downloads; type zip
  delete_file ~/Downloads; type_has zip
  asks
delete downloads from last year
  delete_file ~/Downloads; modified_after 2025-01-01; modified_before 2026-01-01
delete the empty folders in Projects
  asks
  delete_file ~/Projects; kind folder; size_lt 1
delete photos of my ex
  asks
delete everything in Downloads I don't need
  asks
Delete files in Downloads larger than 100MB or older than a year
  asks
delete files in Downloads larger than 100MB and older than a year
  delete_file ~/Downloads; size_gt 100000000; modified_before 2025-11-15T12:00
delete notes.txt and todo.txt from Documents
  asks
delete all files containing the word secret
  asks
delete Downloads/report (1).pdf
  delete_file ~/Downloads/report (1).pdf
  asks
Undo the last delete
  asks
  refused any
restore report.pdf from the trash
  asks
  refused any
should I delete the old PDFs in Downloads?
  asks
  list_files ~/Downloads; type pdf
  refused any
I deleted report.pdf by accident
  asks
  refused any
  search_files ~; query report.pdf
I almost deleted everything in Downloads yesterday
  asks
  refused any
remove the word draft from all file names in Work
  asks
Remove duplicates from Downloads
  asks
delete everything from the last hour on my Desktop
  delete_file ~/Desktop; modified_after 2026-11-15T11:00
  asks
Delete all node_modules folders in Projects
  asks
  delete_file ~/Projects; name node_modules; kind folder; recursive
delete nothing
  asks
copy this folder to Archive
  copy_file ~/Projects/shop; destination ~/Archive
Copy Documents/Work/a.txt to Documents/Work/b.txt
  copy_file ~/Documents/Work/a.txt; destination ~/Documents/Work/b.txt
copy the Taxes and Invoices folders to Archive
  asks
Copy all files with "2026" in the name from Invoices to Taxes
  copy_file ~/Documents/Invoices; name *2026*; destination ~/Documents/Taxes
  asks
Copy the five latest pictures to my Desktop
  copy_file ~/Projects/shop; type image/*; sort modified; order desc; limit 5; destination ~/Desktop
  copy_file ~/Pictures; type image/*; sort modified; order desc; limit 5; destination ~/Desktop
  copy_file ~/Pictures/*; sort modified; order desc; limit 5; destination ~/Desktop
  copy_file ~/Projects/shop; type image/*; sort taken; order desc; limit 5; destination ~/Desktop
  asks
Copy the contents of Work to Archive/Work
  copy_file ~/Documents/Work/*; destination ~/Archive/Work; kind any
Rename "summer trip.jpg" on the desktop to "beach.jpg"
  rename_file ~/Desktop/summer trip.jpg; destination beach.jpg
rename files in Screenshots to screenshot-1, screenshot-2 and so on
  asks
  rename_file ~/Pictures/Screenshots; destination screenshot-{n}{ext}
  rename_file ~/Pictures/Screenshots/*; destination screenshot-{n}{ext}
put the date in front of every pdf name in Invoices
  asks
  rename_file ~/Documents/Invoices; type pdf; destination {modified_date}-{name}{ext}
rename all .jpeg files in Pictures to .jpg
  asks
  rename_file ~/Pictures; type jpeg; destination {name}.jpg
  rename_file ~/Pictures; type jpg,jpeg; destination {name}.jpg
Give all files in Work uppercase names
  asks
  rename_file ~/Documents/Work/*; destination {name_upper}{ext}
  rename_file ~/Documents/Work/*; destination {name_upper}
rename report.pdf
  asks
new file hello.md: "# Hello"
  write_file ~/Projects/shop/hello.md; content # Hello
  asks
Put "remember the milk" in a file on my Desktop
  asks
jot down "dentist at 3" in ~/Documents/notes.txt
  write_file ~/Documents/notes.txt; content dentist at 3
  asks
create a folder called Taxes 2027 in Documents
  asks
  refused any
simulate removing all .log files from Projects and its subfolders
  delete_file ~/Projects; type log; recursive; dry_run
Show me what moving all PDFs from Desktop to Work would do
  move_file ~/Desktop; type pdf; destination ~/Documents/Work; dry_run
  asks
which files would be deleted if I cleaned Downloads of things older than 60 days
  delete_file ~/Downloads; modified_before 2026-09-16T13:00; dry_run
  asks
unpack all archives in Downloads
  refused archive_agent
Turn these photos into a PDF
  refused document_agent
  refused image_agent
encrypt the Taxes folder
  refused any
make a thumbnail of beach.jpg
  refused image_agent
mount the NAS and copy Pictures there
  refused any
  asks
share Holiday 2026 with Tom
  refused any
  asks
change the permissions of run.sh to executable
  refused any
  asks
set Downloads to private
  refused any
  asks
extract the audio from concert.mp4
  refused any
`;
