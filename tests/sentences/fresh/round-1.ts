/** Sentences as very different people type them; `rows.ts` says how to read them. */
export const round1 = `
show me all the pdfs in downloads
  list_files ~/Downloads; type pdf
Could you list everything that's on my desktop, please?
  list_files ~/Desktop
whats in my documents folder
  list_files ~/Documents
What's inside Pictures/Holiday 2026?
  list_files ~/Pictures/Holiday 2026
ls Downloads
  list_files ~/Downloads
which files did I change today
  list_files ~; modified_after 2026-11-15; kind file
Anything I modified yesterday?
  list_files ~; modified_after 2026-11-14; modified_before 2026-11-15
photos taken in August
  list_files ~; type image/*; taken_after 2026-08-01; taken_before 2026-09-01
Show me the pictures I took last summer
  list_files ~; type image/*; taken_after 2025-06-01; taken_before 2025-09-01
  list_files ~; type image/*; taken_after 2026-06-01; taken_before 2026-09-01
I'd like to see my 5 most recent screenshots
  list_files ~; type image/*; name *screenshot*; sort modified; order desc; limit 5
  list_files ~/Pictures/Screenshots; sort modified; order desc; limit 5
  list_files ~/Pictures/Screenshots; type image/*; sort modified; order desc; limit 5
  list_files ~; type image/*; name *screenshot*; sort created; order desc; limit 5
biggest files on this machine
  list_files ~; sort size; order desc
what are the twenty biggest videos I have?
  list_files ~; type video/*; sort size; order desc; limit 20
find files over 1GB
  list_files ~; size_gt 1000000000
Find files larger than 500 megabytes in Videos
  list_files ~/Videos; size_gt 500000000
Are there any empty files in Projects?
  list_files ~/Projects; size_lt 1
list all files smaller than 10kb in ~/Documents/Work
  list_files ~/Documents/Work; size_lt 10000
Which of my documents are between 2 and 20 megabytes?
  list_files ~; type_has docx; size_gt 2000000; size_lt 20000000
  list_files ~/Documents; size_gt 2000000; size_lt 20000000
how many photos do i have
  list_files ~; type image/*
How many mp3s are in the Band folder?
  list_files ~/Music/Band; type mp3
Where did I put my tax return?
  search_files ~; query tax return
where's the contract with Lena
  search_files ~; query contract lena
looking for a presentation about solar panels
  search_files ~; query solar panels; type_has pptx
  search_files ~; query presentation solar panels
Find the spreadsheet with the household budget
  search_files ~; query household budget; type spreadsheet/*
find my cv
  search_files ~; query cv
search for "quarterly numbers" in Documents
  search_files ~/Documents; query quarterly numbers; exact
  search_files ~/Documents; query quarterly numbers
which files mention the word penguin?
  search_files ~; query penguin; search_in content
find text files containing "TODO" in Projects
  search_files ~/Projects; query TODO; type_has txt; search_in content; exact
  search_files ~/Projects; query TODO; type_has txt; search_in content
Look in Work for anything called minutes
  search_files ~/Documents/Work; query minutes; search_in name
  list_files ~/Documents/Work; name *minutes*
do I have a file named passport.jpg somewhere
  search_files ~; query passport.jpg; search_in name
  list_files ~; name passport.jpg
  search_files ~; query passport.jpg; search_in name; exact
grep for connectionString in ~/Projects
  search_files ~/Projects; query connectionString; search_in content
  search_files ~/Projects; query connectionString
Show me PDFs from last month
  list_files ~; type pdf; modified_after 2026-10-01; modified_before 2026-11-01
pdfs downloaded in the past 7 days
  list_files ~/Downloads; type pdf; modified_after 2026-11-08T12:00
What did I download this week?
  list_files ~/Downloads; modified_after 2026-11-09
what have I downloaded since tuesday
  list_files ~/Downloads; modified_after 2026-11-10
Documents I created in 2024
  list_files ~; type_has docx; created_after 2024-01-01; created_before 2025-01-01
  list_files ~/Documents; created_after 2024-01-01; created_before 2025-01-01
any word docs from before 2020?
  list_files ~; type_has docx; modified_before 2020-01-01
Excel files modified between March and May 2026
  list_files ~; type_has xlsx; modified_after 2026-03-01; modified_before 2026-06-01
show videos recorded in 2025
  list_files ~; type video/*; taken_after 2025-01-01; taken_before 2026-01-01
  list_files ~; type video/*; created_after 2025-01-01; created_before 2026-01-01
  list_files ~; type video/*; modified_after 2025-01-01; modified_before 2026-01-01
list files older than 5 years
  list_files ~; modified_before 2021-11-15T12:00; kind file
Oldest files in Archive
  list_files ~/Archive; sort modified; order asc; kind file
What's the oldest photo I've got?
  list_files ~; type image/*; sort taken; order asc; limit 1
  list_files ~; type image/*; sort modified; order asc; limit 1
the newest file in downloads
  list_files ~/Downloads; sort modified; order desc; limit 1; kind file
show me the last 3 files I downloaded
  list_files ~/Downloads; sort modified; order desc; limit 3; kind file
top ten largest folders
  get_disk_usage ~
  list_files ~; kind folder; sort size; order desc; limit 10
  get_disk_usage ~; sort size; order desc; limit 10
  get_disk_usage ~; limit 10
how big is my Music folder
  get_disk_usage ~/Music
How much room do my pictures take up?
  get_disk_usage ~; type image/*
  get_disk_usage ~/Pictures
disk usage of Projects
  get_disk_usage ~/Projects
How much storage am I using on PDFs?
  get_disk_usage ~; type pdf
what's taking up all the space on my disk
  get_disk_usage ~
  list_files ~; sort size; order desc
total size of all zip files in Downloads
  get_disk_usage ~/Downloads; type_has zip
How many gigabytes are in Videos?
  get_disk_usage ~/Videos
size of ~/Documents/Taxes
  get_disk_usage ~/Documents/Taxes
when was budget.xlsx last changed
  get_metadata ~/Projects/shop/budget.xlsx
What kind of file is ~/Downloads/mystery.bin?
  get_metadata ~/Downloads/mystery.bin
give me the details of ~/Pictures/cat.png
  get_metadata ~/Pictures/cat.png
when was this photo taken: ~/Pictures/IMG_0042.jpg
  get_metadata ~/Pictures/IMG_0042.jpg
How old is Documents/letter.odt
  get_metadata ~/Documents/letter.odt
Tell me about the file notes.md in Work
  get_metadata ~/Documents/Work/notes.md
Open README.md
  read_file ~/Projects/shop/README.md
read me notes.txt from my desktop
  read_file ~/Desktop/notes.txt
print the contents of ~/Projects/shop/package.json
  read_file ~/Projects/shop/package.json
What does todo.txt in Documents say?
  read_file ~/Documents/todo.txt
cat Documents/Work/plan.md
  read_file ~/Documents/Work/plan.md
Show me duplicates in Pictures
  list_files ~/Pictures; duplicates
Do I have any duplicate songs?
  list_files ~; type audio/*; duplicates
find identical files on my computer
  list_files ~; duplicates
show hidden files in my home
  list_files ~; hidden; kind file
list hidden files here
  list_files ~/Projects/shop; hidden; kind file
list all subfolders of Documents
  list_files ~/Documents; kind folder
Which folders are in Projects?
  list_files ~/Projects; kind folder
show .py files in this folder
  list_files ~/Projects/shop; type py
every *.log file under Projects please
  list_files ~/Projects; type log
  list_files ~/Projects; name *.log
  list_files ~/Projects/*.log
  list_files ~/Projects/**/*.log
all images except pngs
  list_files ~; type image/*; exclude *.png
show pictures but not screenshots
  list_files ~; type image/*; exclude *screenshot*
Documents without the ones in Invoices
  list_files ~/Documents; exclude Invoices
  list_files ~; type_has docx; exclude Invoices
list my projects
  list_files ~/Projects
Sort the files in Downloads by size
  list_files ~/Downloads; sort size; order desc
  list_files ~/Downloads; sort size; order asc
show Downloads sorted by date, newest first
  list_files ~/Downloads; sort modified; order desc
files in Documents in alphabetical order
  list_files ~/Documents; sort name; order asc; kind file
  list_files ~/Documents; sort name; kind file
can u find the fotos from christmas 2025
  list_files ~; type image/*; modified_after 2025-12-25; modified_before 2025-12-26; recursive
  search_files ~; query christmas; type image/*; modified_after 2025-01-01; modified_before 2026-01-01
  search_files ~; query christmas 2025; type image/*
  search_files ~; query fotos christmas 2025
  search_files ~; query christmas; type image/*; taken_after 2025-01-01; taken_before 2026-01-01
pictures of the dog
  search_files ~; query dog; type image/*
Got any music by Nina Simone?
  search_files ~; query nina simone; type audio/*
that letter to the landlord I wrote in September
  search_files ~; query letter landlord; modified_after 2026-09-01; modified_before 2026-10-01
  search_files ~; query letter landlord; created_after 2026-09-01; created_before 2026-10-01
I need the boarding pass from Thursday
  search_files ~; query boarding pass; modified_after 2026-11-12; modified_before 2026-11-13
  search_files ~; query boarding pass; modified_after 2026-11-12
the invoice that Ahmed sent me last week
  search_files ~; query invoice ahmed; modified_after 2026-11-02; modified_before 2026-11-09
find invoice 2024-118
  search_files ~; query invoice 2024-118
recent documents
  list_files ~; type_has docx; sort modified; order desc
  list_files ~/Documents; sort modified; order desc
what was I working on last friday?
  list_files ~; modified_after 2026-11-13; modified_before 2026-11-14
  list_files ~; modified_after 2026-11-06; modified_before 2026-11-07
stuff I changed in the last 2 hours
  list_files ~; modified_after 2026-11-15T10:00
Files modified on 3 November
  list_files ~; modified_after 2026-11-03; modified_before 2026-11-04; kind file
files from 11/03/2026
  asks
  list_files ~; modified_after 2026-11-03; modified_before 2026-11-04
  list_files ~; modified_after 2026-03-11; modified_before 2026-03-12; kind file
files changed after 2026-10-20
  list_files ~; modified_after 2026-10-20
  list_files ~; modified_after 2026-10-21; kind file
Show Dowloads
  list_files ~/Downloads
list the contents of my Docments folder
  list_files ~/Documents
Show me PNGs and JPGs in Pictures
  list_files ~/Pictures; type png,jpg,jpeg
  list_files ~/Pictures; type jpg,jpeg,png
show pdf or word files in Work
  list_files ~/Documents/Work; type_has pdf,docx
list jpg/png in Pictures
  list_files ~/Pictures; type jpg,jpeg,png
  list_files ~/Pictures; type jpg,png
videos longer than an hour
  asks
  search_files ~; query_has longer; type video/*
  refused any
is there a file called budget.xlsx in Documents?
  search_files ~/Documents; query budget.xlsx; search_in name
  search_files ~/Documents; query budget.xlsx; search_in name; exact
  list_files ~/Documents; name budget.xlsx
  get_metadata ~/Documents/budget.xlsx
Which file is the largest in Documents?
  list_files ~/Documents; sort size; order desc; limit 1
Find anything about Project Falcon
  search_files ~; query project falcon
Where are my e-books?
  list_files ~; type_has epub
  search_files ~; query e-books
  search_files ~; query books
files bigger than half a gig
  list_files ~; size_gt 500000000
show me source code files changed this year
  list_files ~; type_has py; modified_after 2026-01-01
find all archives over 100 MiB
  list_files ~; type_has zip; size_gt 104857600
move all pdfs from Downloads to Documents
  move_file ~/Downloads; type pdf; destination ~/Documents
Please put the screenshots from my Desktop into Pictures/Screenshots
  move_file ~/Desktop; type image/*; name *screenshot*; destination ~/Pictures/Screenshots
can you move everything on the desktop to archive?
  move_file ~/Desktop/*; destination ~/Archive; kind any
Move files older than a year in Documents to Archive
  move_file ~/Documents; modified_before 2025-11-15T12:00; destination ~/Archive
move report.docx to Work
  move_file ~/Projects/shop/report.docx; destination ~/Documents/Work
mv Downloads/song.mp3 Music
  move_file ~/Downloads/song.mp3; destination ~/Music
Shift my videos out of Downloads and into Videos
  move_file ~/Downloads; type video/*; destination ~/Videos
  asks
transfer all invoices pdfs in downloads to the Invoices folder
  asks
  move_file ~/Downloads; type pdf; name *invoice*; destination ~/Documents/Invoices
  move_file ~/Downloads; type pdf; name *invoices*; destination ~/Documents/Invoices
move the 3 biggest files in Downloads to Archive
  move_file ~/Downloads/*; sort size; order desc; limit 3; destination ~/Archive; kind file
Move a.txt and b.txt to Documents
  asks
relocate ~/Projects/shop/old to ~/Archive
  move_file ~/Projects/shop/old; destination ~/Archive
move photos larger than 20MB from Pictures to ~/Archive/big
  move_file ~/Pictures; type image/*; size_gt 20000000; destination ~/Archive/big
Move everything except PDFs from Downloads to Archive
  move_file ~/Downloads; exclude *.pdf; destination ~/Archive
  move_file ~/Downloads/*; exclude *.pdf; destination ~/Archive
move all the mp3s in Downloads including subfolders to Music
  move_file ~/Downloads; type mp3; recursive; destination ~/Music
drag the file invoice.pdf from Downloads over to Taxes
  move_file ~/Downloads/invoice.pdf; destination ~/Documents/Taxes
  asks
move the Band folder to Archive
  move_file ~/Music/Band; destination ~/Archive
Move everything I downloaded last month into Archive/October
  move_file ~/Downloads; modified_after 2026-10-01; modified_before 2026-11-01; destination ~/Archive/October
Move Downloads pictures to a new folder called Snaps
  move_file ~/Downloads; type image/*; destination ~/Snaps
  move_file ~/Downloads; type image/*; destination ~/Downloads/Snaps
  move_file ~/Downloads; type image/*; destination ~/Projects/shop/Snaps
  asks
tidy up my downloads
  asks
  list_files ~/Downloads
organise my photos
  asks
copy all my photos to Archive
  copy_file ~/Projects/shop; type image/*; destination ~/Archive
  asks
Copy ~/Documents/Work/plan.md to the Desktop
  copy_file ~/Documents/Work/plan.md; destination ~/Desktop
make a copy of budget.xlsx in Archive
  copy_file ~/Projects/shop/budget.xlsx; destination ~/Archive
  asks
  copy_file ~/Archive/budget.xlsx
duplicate notes.txt as notes-backup.txt
  copy_file ~/Projects/shop/notes.txt; destination ~/Projects/shop/notes-backup.txt
  asks
Back up the Taxes folder to Archive
  copy_file ~/Documents/Taxes; destination ~/Archive
  asks
cp ~/Downloads/a.zip ~/Archive/a.zip
  copy_file ~/Downloads/a.zip; destination ~/Archive/a.zip
I want copies of all spreadsheets in Work on my Desktop
  copy_file ~/Documents/Work; type spreadsheet/*; destination ~/Desktop
  asks
copy the newest pdf in Downloads to Work
  copy_file ~/Downloads; type pdf; sort modified; order desc; limit 1; destination ~/Documents/Work
  copy_file ~/Downloads/*; type pdf; sort modified; order desc; limit 1; destination ~/Documents/Work
Copy every jpg changed since 1 October from Pictures to Archive
  copy_file ~/Pictures; type jpg; modified_after 2026-10-01; destination ~/Archive
delete ~/Downloads/setup.exe
  delete_file ~/Downloads/setup.exe
remove old.txt from Documents
  delete_file ~/Documents/old.txt
Please delete all tmp files in this folder
  delete_file ~/Projects/shop; type tmp
Bin everything in Downloads older than 90 days
  delete_file ~/Downloads; modified_before 2026-08-17T13:00
get rid of empty files in Documents
  delete_file ~/Documents; size_lt 1
trash the screenshots on my desktop
  delete_file ~/Desktop; type image/*; name *screenshot*
erase all videos bigger than 2 GB permanently
  delete_file ~/Projects/shop; type video/*; size_gt 2000000000; permanent
  asks
Delete the Archive folder
  delete_file ~/Archive
rm -rf Downloads
  asks
  delete_file ~/Downloads
  delete_file ~/Downloads; recursive
  delete_file ~/Downloads/*
empty my Downloads folder
  delete_file ~/Downloads/*; kind any
clear out everything in Downloads except the pdfs
  delete_file ~/Downloads; exclude *.pdf
  delete_file ~/Downloads/*; exclude *.pdf
Delete all duplicate photos
  asks
delete everything
  asks
Could you please delete the pictures I took in May 2025?
  delete_file ~/Projects/shop; type image/*; taken_after 2025-05-01; taken_before 2025-06-01
  asks
throw away log files older than two weeks in Projects
  delete_file ~/Projects; type log; modified_before 2026-11-01T12:00
wipe the desktop
  delete_file ~/Desktop/*; kind any
  asks
Delete all files named Thumbs.db everywhere
  delete_file ~; name Thumbs.db; recursive
  asks
Delete everything in Downloads that isn't a PDF
  delete_file ~/Downloads; exclude *.pdf
  delete_file ~/Downloads/*; exclude *.pdf
  asks
delete the draft letters in Work
  asks
  delete_file ~/Documents/Work; name *draft*
Remove all docs from Work and Taxes
  asks
Delete that file
  asks
Don't delete anything from Downloads
  asks
what would happen if I deleted all zips in Downloads?
  delete_file ~/Downloads; type zip; dry_run
  delete_file ~/Downloads; type_has zip; dry_run
Pretend to move all docx files in Downloads to Work
  move_file ~/Downloads; type docx; destination ~/Documents/Work; dry_run
  move_file ~/Downloads; type_has docx; destination ~/Documents/Work; dry_run
preview deleting everything in Archive older than 3 years
  delete_file ~/Archive; modified_before 2023-11-15T12:00; dry_run
dry run: rename all pictures in Holiday 2026 by date taken
  rename_file ~/Pictures/Holiday 2026; type image/*; destination {taken}{ext}; dry_run
  rename_file ~/Pictures/Holiday 2026/*; type image/*; destination {taken}{ext}; dry_run
rename draft.txt to final.txt
  rename_file ~/Projects/shop/draft.txt; destination final.txt
Rename ~/Desktop/IMG_1.png to cat.png
  rename_file ~/Desktop/IMG_1.png; destination cat.png
change the name of notes.md in Work to ideas.md
  rename_file ~/Documents/Work/notes.md; destination ideas.md
  asks
rename the Band folder to Bands
  rename_file ~/Music/Band; destination Bands
Rename all my holiday photos by the date they were taken
  rename_file ~/Pictures/Holiday 2026; type image/*; destination {taken}{ext}
  rename_file ~/Pictures/Holiday 2026/*; type image/*; destination {taken}{ext}
  asks
make all the file names in Downloads lower case
  rename_file ~/Downloads/*; destination {name_lower}{ext}; kind file
  rename_file ~/Downloads; destination {name_lower}{ext}
  asks
replace the spaces in file names in Documents with underscores
  rename_file ~/Documents/*; destination {name_underscored}{ext}
  asks
add the prefix 2026- to all pdfs in Invoices
  rename_file ~/Documents/Invoices; type pdf; destination 2026-{name}{ext}
number the photos in Holiday 2026
  rename_file ~/Pictures/Holiday 2026; type image/*; destination {n}{ext}
  rename_file ~/Pictures/Holiday 2026; type image/*; destination {nn}{ext}
  rename_file ~/Pictures/Holiday 2026; type image/*; destination {nnn}{ext}
  rename_file ~/Pictures/Holiday 2026/*; type image/*; destination {n}{ext}
  asks
rename everything
  asks
Create a file called shopping.txt with "milk, eggs, bread"
  write_file ~/Projects/shop/shopping.txt; content milk, eggs, bread
write "hello world" to ~/Desktop/hello.txt
  write_file ~/Desktop/hello.txt; content hello world
Make a new text file on my desktop named ideas.txt that says "buy a boat"
  write_file ~/Desktop/ideas.txt; content buy a boat
save "call mum" as reminder.txt in Documents
  write_file ~/Documents/reminder.txt; content call mum
append "done" to todo.txt
  asks
  refused any
overwrite notes.txt with "nothing"
  write_file ~/Projects/shop/notes.txt; content nothing
  write_file ~/Projects/shop/notes.txt; content nothing; on_conflict replace
  asks
create an empty file named placeholder.md in Work
  write_file ~/Documents/Work/placeholder.md; content
  write_file ~/Documents/Work/placeholder.md
  asks
copy my CV to Desktop and delete the original
  asks
Move the PDF in Downloads to Work
  asks
move stuff to Archive
  asks
Move everything from Dwonloads to Archive
  asks
Delete everything in the Foobar folder
  asks
move some files from Downloads to Archive
  asks
Delete old files
  asks
delete pdfs and docs in Downloads
  delete_file ~/Downloads; type_has pdf,docx
  delete_file ~/Downloads; type_has pdf,doc
  asks
Do not move my photos
  asks
zip the Work folder
  refused archive_agent
unzip ~/Downloads/pics.zip into Pictures
  refused archive_agent
please extract backup.tar.gz here
  refused archive_agent
Compress the videos in Downloads to save space
  refused archive_agent
make a zip of all my invoices
  refused archive_agent
summarise the contract pdf for me
  refused document_agent
What does the PDF contract.pdf say about termination?
  refused document_agent
Convert report.docx to PDF
  refused document_agent
translate letter.odt into German
  refused document_agent
OCR the scans in Documents
  refused document_agent
  refused image_agent
Read the text in scan.png
  refused document_agent
  refused image_agent
resize all photos in Holiday 2026 to 1024 pixels
  refused image_agent
rotate IMG_3.jpg by 90 degrees
  refused image_agent
crop cat.png to a square
  refused image_agent
make my pictures black and white
  refused image_agent
upload my photos to Google Drive
  refused any
copy Work to the network drive
  refused any
move everything in Downloads to my S3 bucket
  refused any
Email budget.xlsx to Sarah
  refused any
Watch Downloads and move new PDFs to Work
  refused any
keep Documents and Archive in sync
  refused any
notify me when a file is added to Downloads
  refused any
download the latest Ubuntu image
  refused any
print report.pdf on the office printer
  refused any
play my favourite song
  refused any
  asks
what's the weather like today
  refused any
  asks
uninstall Firefox
  refused any
  asks
merge a.pdf and b.pdf into one
  refused document_agent
Remove every file in Screenshots from before this year
  delete_file ~/Pictures/Screenshots; modified_before 2026-01-01
Delete the 10 oldest files in Downloads for good
  delete_file ~/Downloads/*; sort modified; order asc; limit 10; permanent; kind file
  asks
Move "My Thesis.docx" from Downloads to "Old stuff"
  move_file ~/Downloads/My Thesis.docx; destination ~/Old stuff
  move_file ~/Downloads/My Thesis.docx; destination ~/Projects/shop/Old stuff
  asks
would you mind deleting ~/Desktop/junk.txt for me?
  delete_file ~/Desktop/junk.txt
how do I delete a folder
  asks
  refused any
Copy files from Work changed in the last fortnight to Archive but not the PDFs
  copy_file ~/Documents/Work; modified_after 2026-11-01T12:00; exclude *.pdf; destination ~/Archive
which movies haven't I touched in over a year?
  list_files ~; type video/*; modified_before 2025-11-15T12:00
Move out of Desktop whatever is bigger than 1 GB, into Archive
  move_file ~/Desktop; size_gt 1000000000; destination ~/Archive
  asks
`;
