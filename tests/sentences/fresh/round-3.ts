/** Sentences as very different people type them; `rows.ts` says how to read them. */
export const round3 = `
yo where are my tax papers from 2025
  search_files ~; query tax papers; modified_after 2025-01-01; modified_before 2026-01-01
  search_files ~; query tax papers 2025
I'm after a photo of the kitchen we took in spring
  search_files ~; query kitchen; type image/*; taken_after 2026-03-01; taken_before 2026-06-01
  search_files ~; query kitchen; type image/*; modified_after 2026-03-01; modified_before 2026-06-01
Could you pull up last year's invoices?
  search_files ~; query invoices; modified_after 2025-01-01; modified_before 2026-01-01
  list_files ~/Documents/Invoices; modified_after 2025-01-01; modified_before 2026-01-01
what pdf files live in the Taxes folder
  list_files ~/Documents/Taxes; type pdf
Show all text documents in my home directory
  list_files ~; type txt
  list_files ~; type_has txt
How many files did I download in October?
  list_files ~/Downloads; modified_after 2026-10-01; modified_before 2026-11-01; kind file
list movies over 700MB, biggest on top
  list_files ~; type video/*; size_gt 700000000; sort size; order desc
what's the total size of Downloads and everything in it?
  get_disk_usage ~/Downloads
how much space would I free by deleting Downloads
  get_disk_usage ~/Downloads
  asks
  delete_file ~/Downloads; dry_run
Which folder in my home takes the most space
  get_disk_usage ~
  list_files ~; kind folder; sort size; order desc; limit 1
anything newer than 3 days on the desktop?
  list_files ~/Desktop; modified_after 2026-11-12T12:00
show me files untouched for two years
  list_files ~; modified_before 2024-11-15T12:00; kind file
list files from the first week of November
  asks
  list_files ~; modified_after 2026-11-01; modified_before 2026-11-08; kind file
  list_files ~; modified_after 2026-11-02; modified_before 2026-11-09
  search_files ~; query_has week; modified_after 2026-11-01
Did I save anything to Desktop today?
  list_files ~/Desktop; modified_after 2026-11-15
look up "Müller GmbH" in all my PDFs
  search_files ~; query Müller GmbH; type pdf
  search_files ~; query Müller GmbH; type pdf; search_in content
open the file meeting notes.txt in Work
  read_file ~/Documents/Work/meeting notes.txt
  search_files ~/Documents/Work; query meeting notes.txt
  asks
read ~/Documents/Work/agenda.md to me
  read_file ~/Documents/Work/agenda.md
Show the contents of the Archive folder
  list_files ~/Archive
contents of todo.txt please
  read_file ~/Projects/shop/todo.txt
what's the file type of ~/Downloads/unknown?
  get_metadata ~/Downloads/unknown
properties of Holiday 2026
  get_metadata ~/Pictures/Holiday 2026
  get_disk_usage ~/Pictures/Holiday 2026
When did I last edit thesis.docx?
  get_metadata ~/Projects/shop/thesis.docx
  search_files ~; query thesis.docx
which photos are bigger than 5 megs and older than 2020
  list_files ~; type image/*; size_gt 5000000; modified_before 2020-01-01
find photos taken with my phone in Pictures
  search_files ~/Pictures; query phone; type image/*
  search_files ~/Pictures; query with phone; type image/*
  asks
files without an extension
  asks
  search_files ~; query extension
  list_files ~; exclude *.*; kind file
Is there anything in the Screenshots folder?
  list_files ~/Pictures/Screenshots
show me the smallest 5 pngs
  list_files ~; type png; sort size; order asc; limit 5
every document with "confidential" in its name
  search_files ~; query confidential; type_has docx; search_in name
  list_files ~; type_has docx; name *confidential*
find documents which talk about mortgages
  search_files ~; query mortgages; type_has docx; search_in content
list files in Documents, but skip the Work folder
  list_files ~/Documents; exclude Work; kind file
music files that aren't mp3
  list_files ~; type audio/*; exclude *.mp3
Show me just the folders on my Desktop
  list_files ~/Desktop; kind folder
which zip files in downloads are more than 6 months old
  list_files ~/Downloads; type zip; modified_before 2026-05-15T12:00
  list_files ~/Downloads; type_has zip; modified_before 2026-05-15T12:00
what are my most recently edited spreadsheets
  list_files ~; type spreadsheet/*; sort modified; order desc
show latest 10 downloads
  list_files ~/Downloads; sort modified; order desc; limit 10
photos between 2019 and 2021
  list_files ~; type image/*; modified_after 2019-01-01; modified_before 2022-01-01
  list_files ~; type image/*; taken_after 2019-01-01; taken_before 2022-01-01
how large is ~/Videos/wedding.mov
  get_metadata ~/Videos/wedding.mov
  get_disk_usage ~/Videos/wedding.mov
what's eating my disk
  get_disk_usage ~
  list_files ~; sort size; order desc
Move my screenshots to Screenshots
  move_file ~/Projects/shop; type image/*; name *screenshot*; destination ~/Pictures/Screenshots
  asks
move downloads older than a month to archive please
  move_file ~/Downloads; modified_before 2026-10-15T12:00; destination ~/Archive
Please relocate all the Word files from the Desktop to Documents/Work.
  move_file ~/Desktop; type word/*; destination ~/Documents/Work
  move_file ~/Desktop; type_has docx; destination ~/Documents/Work
could you take all the gifs in Downloads and put them in Pictures
  move_file ~/Downloads; type gif; destination ~/Pictures
  asks
Move invoice.pdf and receipt.pdf from Downloads to Invoices
  asks
move invoice.pdf, receipt.pdf and bill.pdf to Taxes
  asks
move all files from Desktop to Documents, overwrite if needed
  asks
  move_file ~/Desktop/*; destination ~/Documents; on_conflict replace
move everything on my desktop that's not a folder to Documents
  asks
  move_file ~/Desktop/*; destination ~/Documents
  move_file ~/Desktop; kind file; destination ~/Documents
move all pictures from before 2020 out of Pictures
  asks
move half of the files in Downloads to Archive
  asks
move the newest photo to Desktop
  move_file ~/Projects/shop; type image/*; sort modified; order desc; limit 1; destination ~/Desktop
  move_file ~/Projects/shop; type image/*; sort taken; order desc; limit 1; destination ~/Desktop
  move_file ~/Pictures; type image/*; sort modified; order desc; limit 1; destination ~/Desktop
  asks
Move Documents/Work/draft.docx one folder up
  asks
move ~/Downloads/My Report Final.pdf to Work
  move_file ~/Downloads/My Report Final.pdf; destination ~/Documents/Work
  asks
move Downloads/My Report.pdf to Work
  move_file ~/Downloads/My Report.pdf; destination ~/Documents/Work
  asks
Move all of my music into ~/Music/All
  move_file ~/Projects/shop; type audio/*; destination ~/Music/All
  asks
  move_file ~/Music/*; destination ~/Music/All
move pdfs to work
  move_file ~/Projects/shop; type pdf; destination ~/Documents/Work
  asks
put report.pdf where the invoices are
  asks
swap a.txt and b.txt
  asks
  refused any
Move videos, but only those over 1GB, from Downloads to Videos
  move_file ~/Downloads; type video/*; size_gt 1000000000; destination ~/Videos
  asks
Move anything with "receipt" in its name from Downloads to Taxes
  move_file ~/Downloads; name *receipt*; destination ~/Documents/Taxes
archive my old downloads
  asks
store a copy of ~/Documents/will.odt in Archive
  copy_file ~/Documents/will.odt; destination ~/Archive
  asks
Copy notes.md from Work to Desktop as notes-old.md
  copy_file ~/Documents/Work/notes.md; destination ~/Desktop/notes-old.md
  asks
copy everything from Band to Archive, including subfolders
  copy_file ~/Music/Band/*; recursive; destination ~/Archive; kind any
  copy_file ~/Music/Band; recursive; destination ~/Archive
copy all PDFs except contract.pdf from Work to Archive
  copy_file ~/Documents/Work; type pdf; exclude contract.pdf; destination ~/Archive
copy report.pdf
  asks
clone the shop folder into Archive
  copy_file ~/Projects/shop; destination ~/Archive
back up my photos
  asks
duplicate Documents/Work/plan.md
  asks
  copy_file ~/Documents/Work/plan.md
copy photos taken last month from Pictures to Archive without overwriting anything
  copy_file ~/Pictures; type image/*; taken_after 2026-10-01; taken_before 2026-11-01; on_conflict skip; destination ~/Archive
  asks
delete everything except Work
  asks
Delete my whole home folder
  asks
  refused any
delete all of it
  asks
delete *
  asks
delete *.tmp in Downloads
  delete_file ~/Downloads; type tmp
  delete_file ~/Downloads/*.tmp
  delete_file ~/Downloads; name *.tmp
delete files in Downloads not older than a week
  delete_file ~/Downloads; modified_after 2026-11-08T12:00
  asks
delete everything in Downloads but keep the images
  asks
  delete_file ~/Downloads; exclude_has *.jpg,*.cr2
  delete_file ~/Downloads/*; exclude_has *.jpg,*.cr2
Delete ~/Downloads/a.pdf, ~/Downloads/b.pdf
  asks
delete the files I downloaded by mistake
  asks
delete PDFs from Ahmed in Downloads
  asks
delete all mp3 files shorter than 10 seconds in Music
  asks
delete photos that are blurry
  asks
delete the largest file in Downloads
  delete_file ~/Downloads/*; sort size; order desc; limit 1; kind file
  asks
delete the second largest file in Downloads
  asks
Please delete old backups from Archive
  asks
Delete backups older than 1 year from Archive
  asks
  delete_file ~/Archive; type bak; modified_before 2025-11-15T12:00
delete all images in Downloads smaller than 10 KB
  delete_file ~/Downloads; type image/*; size_lt 10000
delete zero byte files in Projects
  delete_file ~/Projects; size_lt 1
  asks
delete all .DS_Store files everywhere
  delete_file ~; name .DS_Store; recursive
  delete_file ~; name .DS_Store; recursive; hidden
  asks
delete hidden files in Projects
  delete_file ~/Projects; name .*; hidden
  asks
never ever delete Archive
  asks
I said do not remove the pdfs
  asks
don't move a.txt, delete it
  asks
delete a.txt but not b.txt
  asks
  delete_file ~/Projects/shop/a.txt; exclude b.txt
  delete_file ~/Projects/shop/a.txt
remove photos from Holiday 2026 that were taken at night
  asks
remove everything from Screenshots older than the 1st of October
  delete_file ~/Pictures/Screenshots; modified_before 2026-10-01
Trash last month's downloads
  delete_file ~/Downloads; modified_after 2026-10-01; modified_before 2026-11-01
  asks
delete files from 2024 in Archive
  delete_file ~/Archive; modified_after 2024-01-01; modified_before 2025-01-01
delete files from 2024 to 2025 in Archive
  delete_file ~/Archive; modified_after 2024-01-01; modified_before 2026-01-01
  asks
delete music
  asks
  delete_file ~; type audio/*; recursive
delete Music
  asks
delete my documents
  asks
  delete_file ~/Projects/shop; type_has docx
Rename Work to Job
  rename_file ~/Documents/Work; destination Job
rename a.txt b.txt
  asks
  rename_file ~/Projects/shop/a.txt; destination b.txt
rename a.txt and b.txt to c.txt
  asks
rename all pdfs in Invoices to invoice.pdf
  asks
rename all photos in Pictures to trip-1, trip-2, trip-3
  asks
  rename_file ~/Pictures; type image/*; destination trip-{n}{ext}
rename ~/Downloads/x.jpg to ~/Pictures/y.jpg
  asks
  move_file ~/Downloads/x.jpg; destination ~/Pictures/y.jpg
add "old-" in front of all file names in Archive
  rename_file ~/Archive/*; destination old-{name}{ext}
  asks
append _final to the names of all docx files in Work
  rename_file ~/Documents/Work; type docx; destination {name}_final{ext}
  asks
make a note saying "pay rent" in Documents
  asks
Create notes.txt on the Desktop with the text "line one"
  write_file ~/Desktop/notes.txt; content line one
write a poem about the sea to poem.txt
  asks
  refused any
write "a" to a.txt and "b" to b.txt
  asks
replace "foo" with "bar" in config.txt
  asks
  refused any
create report.txt
  write_file ~/Projects/shop/report.txt; content
  write_file ~/Projects/shop/report.txt
  asks
test run: delete all pdfs in Downloads
  delete_file ~/Downloads; type pdf; dry_run
what would you delete if I asked you to empty Downloads
  asks
  delete_file ~/Downloads/*; dry_run
show me what deleting Archive would remove
  asks
  delete_file ~/Archive; dry_run
put all the pdfs into a zip
  refused archive_agent
can you open the rar file in Downloads
  refused archive_agent
  asks
  search_files ~/Downloads; type rar
  list_files ~/Downloads; type rar
what does the letter from the bank say
  refused document_agent
who is in this picture: beach.jpg
  refused image_agent
  refused any
  asks
  get_metadata ~/Projects/shop/beach.jpg
convert all pngs in Pictures to jpg
  refused image_agent
  refused document_agent
send me report.pdf by email
  refused any
put my photos on Dropbox
  refused any
every Friday move Downloads to Archive
  refused any
run setup.exe
  refused any
defragment my disk
  refused any
  asks
scan my computer for viruses
  refused any
  asks
`;
