/** Sentences as very different people type them; `rows.ts` says how to read them. */
export const round11 = `
What's sitting in my downloads at the moment?
  list_files ~/Downloads
Hey, could you pull up the files in my Work folder?
  list_files ~/Documents/Work; kind file
Give me all the jpegs in the Holiday 2026 folder
  list_files ~/Pictures/Holiday 2026; type jpg,jpeg
list every excel file on my laptop
  list_files ~; type_has xlsx,xls
I need to see the largest items in Videos
  list_files ~/Videos; sort size; order desc
Which files on this machine are more than five gigs?
  list_files ~; size_gt 5000000000
What did I work on yesterday afternoon?
  list_files ~; modified_after 2026-11-14T12:00; modified_before 2026-11-14T18:00
Which documents have I edited in the past two weeks?
  list_files ~; type_has docx; modified_after 2026-11-01T12:00
pdf files from october in documents
  list_files ~/Documents; type pdf; modified_after 2026-10-01; modified_before 2026-11-01
Show the ten most recently modified files in Projects
  list_files ~/Projects; sort modified; order desc; limit 10; kind file
what's the smallest picture in Screenshots?
  list_files ~/Pictures/Screenshots; type image/*; sort size; order asc; limit 1
list the songs in the Band folder by name
  list_files ~/Music/Band; type audio/*; sort name; order asc
How many PDFs are there in the Invoices folder?
  list_files ~/Documents/Invoices; type pdf
Count the screenshots on my desktop
  list_files ~/Desktop; type image/*; name *screenshot*
Which of my spreadsheets mention "quarterly revenue"?
  search_files ~; query quarterly revenue; type_has xlsx; search_in content
search for the word mortgage inside my PDFs
  search_files ~; query mortgage; type pdf; search_in content
Find any text file that contains the phrase "meeting notes"
  search_files ~; query meeting notes; type_has txt; search_in content
look for anything with kindergarten in the filename
  search_files ~; query kindergarten; search_in name
I'm looking for a document about solar panels
  search_files ~; query solar panels; type_has docx
Can you help me locate my birth certificate?
  search_files ~; query birth certificate
I can't find my resume, where is it?
  search_files ~; query resume
Have you seen my wedding video anywhere?
  search_files ~; query wedding; type video/*
find the lease agreement from 2024
  search_files ~; query lease agreement; modified_after 2024-01-01; modified_before 2025-01-01
Open up notes.txt for me
  read_file ~/Projects/shop/notes.txt
Read me the contents of ~/Documents/speech.txt
  read_file ~/Documents/speech.txt
What does Documents/Work/agenda.md say?
  read_file ~/Documents/Work/agenda.md
let me see what's written in todo.txt on the desktop
  read_file ~/Desktop/todo.txt
show the text of readme.md
  read_file ~/Projects/shop/readme.md
When did I last modify Documents/thesis.docx?
  get_metadata ~/Documents/thesis.docx
What's the file size of ~/Videos/wedding.mp4?
  get_metadata ~/Videos/wedding.mp4
Tell me more about Pictures/sunset.jpg
  get_metadata ~/Pictures/sunset.jpg
give me the details for budget.xlsx in Work
  get_metadata ~/Documents/Work/budget.xlsx
When was the photo ~/Pictures/dog.png taken?
  get_metadata ~/Pictures/dog.png
How much room does my music collection take?
  get_disk_usage ~; type audio/*
  get_disk_usage ~/Music
What's the total size of the Pictures folder?
  get_disk_usage ~/Pictures
How many gigabytes are in Downloads?
  get_disk_usage ~/Downloads
what is eating up my disk space
  get_disk_usage ~
Is there a lot of space used by Archive?
  get_disk_usage ~/Archive
How much storage do the PDFs in Documents use?
  get_disk_usage ~/Documents; type pdf
Show me photos without the screenshots
  list_files ~; type image/*; exclude *screenshot*
Everything in Downloads apart from zip files
  list_files ~/Downloads; exclude *.zip; kind file
List all files in Documents, excluding the Taxes folder
  list_files ~/Documents; exclude Taxes; kind file
Which pictures are under 200 KB?
  list_files ~; type image/*; size_lt 200000
images of at least 10 megabytes, biggest first
  list_files ~; type image/*; size_gt 9999999; sort size; order desc
  list_files ~; type image/*; size_gt 10000000; sort size; order desc
Show me my newest downloads
  list_files ~/Downloads; sort modified; order desc
what was the last thing I downloaded?
  list_files ~/Downloads; sort modified; order desc; limit 1
What are the latest three screenshots?
  list_files ~; type image/*; name *screenshot*; sort modified; order desc; limit 3
  list_files ~/Pictures/Screenshots; sort modified; order desc; limit 3
  list_files ~/Pictures/Screenshots; type image/*; sort modified; order desc; limit 3
Sort my documents folder by date
  list_files ~/Documents; sort modified
  list_files ~/Documents; sort modified; order desc
List Downloads with the oldest files at the top
  list_files ~/Downloads; sort modified; order asc; kind file
show files in Archive from A to Z
  list_files ~/Archive; sort name; order asc; kind file
Show me everything I've changed since the first of November
  list_files ~; modified_after 2026-11-01
find photos taken between May and August this year
  list_files ~; type image/*; taken_after 2026-05-01; taken_before 2026-09-01
Which pictures did I take on 24 December 2025?
  list_files ~; type image/*; taken_after 2025-12-24; taken_before 2025-12-25
Files in Work I haven't touched for half a year
  list_files ~/Documents/Work; modified_before 2026-05-15T12:00; kind file
list documents that were created last month
  list_files ~; type_has docx; created_after 2026-10-01; created_before 2026-11-01
find mp3s over 10mb
  list_files ~; type mp3; size_gt 10000000
What kinds of files are in Downloads?
  list_files ~/Downloads; kind file
  get_disk_usage ~/Downloads
Do I have two copies of any photo?
  list_files ~; type image/*; duplicates
show me identical files in Documents
  list_files ~/Documents; duplicates
Show all folders inside Documents
  list_files ~/Documents; kind folder
which subfolders does Projects have?
  list_files ~/Projects; kind folder
List the hidden folders in my home directory
  list_files ~; hidden; kind folder
Can I see a list of the python scripts in the shop project?
  list_files ~/Projects/shop; type py
Show me my ebooks
  list_files ~; type_has epub
find all html and css files in Projects
  list_files ~/Projects; type_has html,css
any word files on the desktop?
  list_files ~/Desktop; type_has docx
i want to see gifs
  list_files ~; type gif
Search the Taxes folder for receipts
  search_files ~/Documents/Taxes; query receipts
Look in Work for a file about marketing strategy
  search_files ~/Documents/Work; query marketing strategy
find my notes on photosynthesis
  search_files ~; query notes photosynthesis
Where's the PDF with the train tickets?
  search_files ~; query train tickets; type pdf
find files whose name starts with "invoice_"
  list_files ~; name invoice_*; kind file
  search_files ~; name invoice_*
Show files ending in .bak
  list_files ~; type bak
  list_files ~; name *.bak; kind file
which files in Downloads have "final" in the title?
  search_files ~/Downloads; query final; search_in name
What have I been working on lately?
  list_files ~; sort modified; order desc
Recent spreadsheets please
  list_files ~; type_has xlsx; sort modified; order desc
Show me what was added to Pictures this week
  list_files ~/Pictures; modified_after 2026-11-09
what came into my downloads today
  list_files ~/Downloads; modified_after 2026-11-15
Which large files could I get rid of in Videos?
  list_files ~/Videos; sort size; order desc
  asks
List files in Downloads that are older than 6 months and larger than 50 MB
  list_files ~/Downloads; modified_before 2026-05-15T12:00; size_gt 50000000
Show me up to 20 of the oldest files in Archive
  list_files ~/Archive; sort modified; order asc; limit 20; kind file
First five files in Documents by name
  list_files ~/Documents; sort name; order asc; limit 5; kind file
Just the PDFs in Invoices from this year please
  list_files ~/Documents/Invoices; type pdf; modified_after 2026-01-01
What's in the folder I'm in right now?
  list_files ~/Projects/shop
How old is ~/Archive/backup.sql?
  get_metadata ~/Archive/backup.sql
My videos from last summer
  list_files ~; type video/*; modified_after 2026-06-01; modified_before 2026-09-01
  list_files ~; type video/*; modified_after 2025-06-01; modified_before 2025-09-01
Please find every file bigger than a gigabyte across my whole drive
  list_files ~; size_gt 1000000000
could you check whether there's a file called passwords.txt in Documents?
  get_metadata ~/Documents/passwords.txt
  search_files ~/Documents; query passwords.txt; search_in name
Show me the images my camera made in 2023
  list_files ~; type image/*; taken_after 2023-01-01; taken_before 2024-01-01
  list_files ~; type image/*; created_after 2023-01-01; created_before 2024-01-01
  list_files ~; type image/*; modified_after 2023-01-01; modified_before 2024-01-01
Look through my documents for the name "Katarina"
  search_files ~; query Katarina; type_has docx
  search_files ~/Documents; query Katarina
Pull out all log files from today
  list_files ~; type log; modified_after 2026-11-15
What's my biggest folder?
  get_disk_usage ~; limit 1
  get_disk_usage ~
Find code files containing "fetchUser"
  search_files ~; query fetchUser; type_has js,ts; search_in content
Move the spreadsheets from Downloads into the Work folder
  move_file ~/Downloads; destination ~/Documents/Work; type spreadsheet/*
Please put every mp3 that's in Downloads in my Music folder
  move_file ~/Downloads; destination ~/Music; type mp3
Shift all videos bigger than 500 MB from Desktop to Videos
  move_file ~/Desktop; destination ~/Videos; type video/*; size_gt 500000000
Relocate invoice-03.pdf from Downloads to Invoices
  move_file ~/Downloads/invoice-03.pdf; destination ~/Documents/Invoices
move yesterday's screenshots from the desktop to Screenshots
  move_file ~/Desktop; destination ~/Pictures/Screenshots; type image/*; name *screenshot*; modified_after 2026-11-14; modified_before 2026-11-15
Can you archive everything in Downloads from last year?
  move_file ~/Downloads; destination ~/Archive; modified_after 2025-01-01; modified_before 2026-01-01
  asks
  refused archive_agent
Move all files except the PDFs from Desktop to Documents
  move_file ~/Desktop; destination ~/Documents; exclude *.pdf
Take the two oldest zips in Downloads and move them to Archive
  move_file ~/Downloads; destination ~/Archive; type zip; sort modified; order asc; limit 2
move ~/Desktop/plan.docx into Documents/Work
  move_file ~/Desktop/plan.docx; destination ~/Documents/Work
Move the images from Downloads to a new folder named Wallpapers in Pictures
  move_file ~/Downloads; destination ~/Pictures/Wallpapers; type image/*
Copy the Taxes folder to my desktop
  copy_file ~/Documents/Taxes; destination ~/Desktop
Make a copy of ~/Documents/cv.docx in Archive
  copy_file ~/Documents/cv.docx; destination ~/Archive
copy all the pdfs from Invoices to Taxes
  copy_file ~/Documents/Invoices; destination ~/Documents/Taxes; type pdf
Back up everything in Work to Archive
  copy_file ~/Documents/Work/*; destination ~/Archive; kind any
Copy the photos taken in August from Pictures to the Desktop
  copy_file ~/Pictures; destination ~/Desktop; type image/*; taken_after 2026-08-01; taken_before 2026-09-01
Please duplicate ~/Documents/template.docx
  asks
Copy my five newest photos from Downloads to Pictures
  copy_file ~/Downloads; destination ~/Pictures; type image/*; sort modified; order desc; limit 5
Delete ~/Desktop/old-draft.txt
  delete_file ~/Desktop/old-draft.txt
remove every zip file from Downloads that's older than a month
  delete_file ~/Downloads; type zip; modified_before 2026-10-15T12:00
Clear out my Downloads folder
  delete_file ~/Downloads/*; kind any
  asks
Get rid of all gifs in Pictures
  delete_file ~/Pictures; type gif
Delete everything on my desktop except the PDFs
  delete_file ~/Desktop; exclude *.pdf
Please delete photos smaller than 50 KB from Pictures
  delete_file ~/Pictures; type image/*; size_lt 50000
throw out the log files in Projects
  delete_file ~/Projects; type log
Delete the three largest videos in Downloads
  delete_file ~/Downloads; type video/*; sort size; order desc; limit 3
wipe everything in Screenshots older than 90 days
  delete_file ~/Pictures/Screenshots; modified_before 2026-08-17T13:00
delete downloads from before 2024
  delete_file ~/Downloads; modified_before 2024-01-01
  asks
Delete my old stuff
  asks
Permanently remove ~/Downloads/malware.exe
  delete_file ~/Downloads/malware.exe; permanent
Delete files named "copy" in Documents
  asks
  delete_file ~/Documents; name copy
  delete_file ~/Documents; name copy.*
  delete_file ~/Documents; name *copy*
Rename ~/Documents/draft1.docx to final.docx
  rename_file ~/Documents/draft1.docx; destination final.docx
Please rename the file scan001.pdf in Downloads to passport.pdf
  rename_file ~/Downloads/scan001.pdf; destination passport.pdf
Rename my holiday pictures by the date they were taken
  rename_file ~/Pictures/Holiday 2026; destination {taken}{ext}; type image/*
  asks
Make all the filenames in Downloads lower case
  rename_file ~/Downloads/*; destination {name_lower}{ext}; kind file
Add "2026-" in front of every PDF in Invoices
  rename_file ~/Documents/Invoices; destination 2026-{name}{ext}; type pdf
  asks
Rename the Band folder to Concerts
  rename_file ~/Music/Band; destination Concerts
Make a new text file on my desktop called groceries.txt
  write_file ~/Desktop/groceries.txt; content
  asks
Create todo.md in Documents with the text "call grandma"
  write_file ~/Documents/todo.md; content call grandma
Write "Thanks for coming" into ~/Documents/card.txt
  write_file ~/Documents/card.txt; content Thanks for coming
save the text "wifi: 12345" in a file named wifi.txt in my Documents folder
  write_file ~/Documents/wifi.txt; content wifi: 12345
Preview what would be moved if I move all videos from Downloads to Videos
  move_file ~/Downloads; destination ~/Videos; type video/*; dry_run
Show me which files would be deleted if I cleaned out everything older than 2 years in Archive
  delete_file ~/Archive; modified_before 2024-11-15T12:00; dry_run
  asks
zip up my Work folder
  refused archive_agent
Compress the photos in Holiday 2026
  refused archive_agent
Email report.pdf to Tom
  refused any
Move the PDFs somewhere else
  asks
put holiday.jpg back in Pictures
  move_file ~/Projects/shop/holiday.jpg; destination ~/Pictures
  asks
Drop all the csv files from Downloads into Work
  move_file ~/Downloads; destination ~/Documents/Work; type csv
Move anything with "invoice" in the name from Downloads to Invoices
  move_file ~/Downloads; destination ~/Documents/Invoices; name *invoice*
yo what's in downloads
  list_files ~/Downloads
Good evening, would you be so kind as to list the documents in my Taxes folder?
  list_files ~/Documents/Taxes; type_has docx
pics from last weekend pls
  list_files ~; type image/*; modified_after 2026-11-07; modified_before 2026-11-09
I'd like an overview of what is stored in Archive
  list_files ~/Archive
show only the folders in Pictures
  list_files ~/Pictures; kind folder
Which five files in Documents are the largest?
  list_files ~/Documents; sort size; order desc; limit 5
what are the smallest files in Work
  list_files ~/Documents/Work; sort size; order asc
Give me the names of all csv files in Projects
  list_files ~/Projects; type csv
Where do I have files named budget?
  search_files ~; query budget; search_in name
Did I save anything about Lisbon?
  search_files ~; query Lisbon
Is there a picture of the Eiffel Tower somewhere?
  search_files ~; query Eiffel Tower; type image/*
find me that recipe for lasagne
  search_files ~; query recipe lasagne
search for "annual report" in Work
  search_files ~/Documents/Work; query annual report
Show me every document containing the word "confidential"
  search_files ~; query confidential; type_has docx; search_in content
which scripts in Projects use the word password
  search_files ~/Projects; query password; type_has py; search_in content
  search_files ~/Projects; query_has password; search_in content
Look up the warranty for the dishwasher
  search_files ~; query warranty dishwasher
Anything from my accountant this month?
  search_files ~; query accountant; modified_after 2026-11-01
List the videos that are more than 2 gigabytes in size
  list_files ~; type video/*; size_gt 2000000000
photos less than 1 MB in Holiday 2026
  list_files ~/Pictures/Holiday 2026; type image/*; size_lt 1000000
Show me music files between 5 and 10 MB
  list_files ~; type audio/*; size_gt 5000000; size_lt 10000000
I need all files over one hundred megabytes in Downloads
  list_files ~/Downloads; size_gt 100000000
Which files have not been modified for three years?
  list_files ~; modified_before 2023-11-15T12:00; kind file
What did I download on Tuesday?
  list_files ~/Downloads; modified_after 2026-11-10; modified_before 2026-11-11
Show me the files I changed two days ago
  list_files ~; modified_after 2026-11-13; modified_before 2026-11-14; kind file
documents from the last quarter
  list_files ~; type_has docx; modified_after 2026-07-01; modified_before 2026-10-01
spreadsheets I edited this year, newest at the top
  list_files ~; type_has xlsx; modified_after 2026-01-01; sort modified; order desc
Which PDFs were added after 10 October 2026?
  list_files ~; type pdf; modified_after 2026-10-11
photos taken before 2019
  list_files ~; type image/*; taken_before 2019-01-01
Everything in Work, sorted by type
  list_files ~/Documents/Work; sort type
  list_files ~/Documents/Work
  asks
List my photos by size
  list_files ~; type image/*; sort size; order desc
show downloads newest first limit 15
  list_files ~/Downloads; sort modified; order desc; limit 15
Give me 3 of the biggest zip files
  list_files ~; type zip; sort size; order desc; limit 3
Which is the newest spreadsheet in Work?
  list_files ~/Documents/Work; type_has xlsx; sort modified; order desc; limit 1
Tell me which photo is the oldest
  list_files ~; type image/*; sort modified; order asc; limit 1
how many mp3 files do i have
  list_files ~; type mp3
How many photos did I take in September?
  list_files ~; type image/*; taken_after 2026-09-01; taken_before 2026-10-01
How much disk space does the Holiday 2026 folder use?
  get_disk_usage ~/Pictures/Holiday 2026
Tell me the size of my Documents folder
  get_disk_usage ~/Documents
How big are all my photos together?
  get_disk_usage ~; type image/*
where has all my disk space gone?
  get_disk_usage ~
what folders in my home use the most space
  get_disk_usage ~
Can you tell me when taxes.pdf in Taxes was created?
  get_metadata ~/Documents/Taxes/taxes.pdf
What is the size of Downloads/movie.mkv?
  get_metadata ~/Downloads/movie.mkv
Get the metadata for Music/Band/track01.mp3
  get_metadata ~/Music/Band/track01.mp3
info about photo.jpg on my desktop please
  get_metadata ~/Desktop/photo.jpg
Please read the file Documents/Work/minutes.txt to me
  read_file ~/Documents/Work/minutes.txt
What's written in ~/Desktop/ideas.md?
  read_file ~/Desktop/ideas.md
Show me what's inside log.txt in Projects
  read_file ~/Projects/log.txt
Check Downloads for duplicate files
  list_files ~/Downloads; duplicates
have I got the same photo more than once?
  list_files ~; type image/*; duplicates
List everything in Pictures except the Screenshots folder
  list_files ~/Pictures; exclude Screenshots
all my documents but no PDFs
  list_files ~; type_has docx; exclude *.pdf
Show me images in Downloads that aren't png
  list_files ~/Downloads; type image/*; exclude *.png
list the stuff on my desktop, hidden files included
  list_files ~/Desktop; hidden; kind file
Move every picture on my desktop over to Pictures
  move_file ~/Desktop; destination ~/Pictures; type image/*
Could you please move invoice.pdf from my desktop to the Invoices folder
  move_file ~/Desktop/invoice.pdf; destination ~/Documents/Invoices
i want the word documents in downloads moved to work
  move_file ~/Downloads; destination ~/Documents/Work; type word/*
Send all PDFs in Downloads that are older than two months to Archive
  move_file ~/Downloads; destination ~/Archive; type pdf; modified_before 2026-09-15T12:00
Move the three biggest files in Downloads to Archive
  move_file ~/Downloads/*; destination ~/Archive; sort size; order desc; limit 3; kind file
Move everything but the images from Desktop to Documents
  move_file ~/Desktop; destination ~/Documents; exclude_has *.jpg,*.png
move all files starting with "IMG_" from Downloads to Pictures
  move_file ~/Downloads; destination ~/Pictures; name IMG_*
Copy Documents/Work/plan.docx to the desktop
  copy_file ~/Documents/Work/plan.docx; destination ~/Desktop
Copy every song from Band to Archive
  copy_file ~/Music/Band; destination ~/Archive; type audio/*
make a backup of the Invoices folder in Archive
  copy_file ~/Documents/Invoices; destination ~/Archive
  asks
Copy this week's photos from Pictures to Desktop
  copy_file ~/Pictures; destination ~/Desktop; type image/*; modified_after 2026-11-09
copy main.py to backup.py
  copy_file ~/Projects/shop/main.py; destination ~/Projects/shop/backup.py
Delete the file ~/Downloads/setup.exe please
  delete_file ~/Downloads/setup.exe
Please remove all empty files from my Documents folder
  delete_file ~/Documents; size_lt 1
Delete all videos in Downloads that are bigger than 1 GB
  delete_file ~/Downloads; type video/*; size_gt 1000000000
delete every screenshot older than six months in Screenshots
  delete_file ~/Pictures/Screenshots; type image/*; name *screenshot*; modified_before 2026-05-15T12:00
delete the old photos
  asks
Delete all files in Downloads except PDFs and Word documents
  delete_file ~/Downloads; exclude_has *.pdf,*.docx
remove temp files from Projects and its subfolders
  delete_file ~/Projects; type tmp; recursive
Delete everything
  asks
Rename notes.txt to meeting-notes.txt
  rename_file ~/Projects/shop/notes.txt; destination meeting-notes.txt
Rename the photos in Holiday 2026 to "beach" with numbers
  rename_file ~/Pictures/Holiday 2026; destination beach-{n}{ext}; type image/*
  asks
Put "-old" at the end of every file name in Archive
  rename_file ~/Archive/*; destination {name}-old{ext}
  asks
Write a file named hello.txt on my desktop that says "Hello there"
  write_file ~/Desktop/hello.txt; content Hello there
Create an empty file named list.txt in Work
  write_file ~/Documents/Work/list.txt; content
Unzip photos.zip in Downloads
  refused archive_agent
What would be deleted if I removed all zips in Downloads?
  delete_file ~/Downloads; type zip; dry_run
Hi there! Could you tell me what files are in Invoices?
  list_files ~/Documents/Invoices; kind file
I would like to see the text files stored in Documents
  list_files ~/Documents; type_has txt
Display all image files located in Downloads
  list_files ~/Downloads; type image/*
Are there any large videos on my laptop?
  list_files ~; type video/*; sort size; order desc
Show me all the files modified within the past 7 days
  list_files ~; modified_after 2026-11-08T12:00; kind file
what files did my computer save today
  list_files ~; modified_after 2026-11-15; kind file
Find all docx files created before June 2026
  list_files ~; type docx; created_before 2026-06-01
Find PDF files that I downloaded between October 1 and October 15
  list_files ~/Downloads; type pdf; modified_after 2026-10-01; modified_before 2026-10-16
any photos from new year's eve?
  list_files ~; type image/*; modified_after 2025-12-31; modified_before 2026-01-01
Look for spreadsheets with "forecast" in the file name
  search_files ~; query forecast; type_has xlsx; search_in name
Which files contain my phone number "555-1234"?
  search_files ~; query 555-1234; search_in content
  search_files ~; query_has 555-1234
can you search my notes for dentist appointment
  search_files ~; query dentist appointment
  search_files ~; query notes dentist appointment
I think I have a file about gardening, find it
  search_files ~; query gardening
I need to find the insurance policy for our car
  search_files ~; query insurance policy car
Find the presentation for the Berlin conference
  search_files ~; query Berlin conference; type_has pptx
show me everything related to the kitchen renovation
  search_files ~; query kitchen renovation
Where is the file contract.docx?
  search_files ~; query contract.docx
  get_metadata ~/Projects/shop/contract.docx
What are my top 10 biggest folders?
  get_disk_usage ~; limit 10
How much of my storage is occupied by videos?
  get_disk_usage ~; type video/*
Check how much space Documents and everything in it takes
  get_disk_usage ~/Documents
  get_disk_usage ~/Documents; recursive
I want to know the size of the Projects folder
  get_disk_usage ~/Projects
how many megabytes of screenshots do I have?
  get_disk_usage ~; type image/*; name *screenshot*
  get_disk_usage ~/Pictures/Screenshots
Print the contents of settings.json
  read_file ~/Projects/shop/settings.json
Show me Documents/recipes.txt
  read_file ~/Documents/recipes.txt
What is in the file shopping.txt on my Desktop?
  read_file ~/Desktop/shopping.txt
When was presentation.pptx on the desktop last edited?
  get_metadata ~/Desktop/presentation.pptx
Give me file info for ~/Music/song.flac
  get_metadata ~/Music/song.flac
Show me the 8 most recent PDF files
  list_files ~; type pdf; sort modified; order desc; limit 8
Show the single largest file in my home directory
  list_files ~; sort size; order desc; limit 1
list pictures in alphabetical order
  list_files ~; type image/*; sort name; order asc
Files in Downloads from biggest to smallest please
  list_files ~/Downloads; sort size; order desc
show me my desktop files sorted by last modified date
  list_files ~/Desktop; sort modified; order desc; kind file
What's the most recent thing in Screenshots?
  list_files ~/Pictures/Screenshots; sort modified; order desc; limit 1
Show me jpg and png files bigger than 4 MB in Pictures
  list_files ~/Pictures; type_has jpg,png; size_gt 4000000
Show JSON files in the shop folder but skip config.json
  list_files ~/Projects/shop; type json; exclude config.json
Everything in Music other than flac files
  list_files ~/Music; exclude *.flac; kind file
Documents from 2025 without the PDFs
  list_files ~; type_has docx; modified_after 2025-01-01; modified_before 2026-01-01; exclude *.pdf
  list_files ~/Documents; modified_after 2025-01-01; modified_before 2026-01-01; exclude *.pdf
List files whose names end with "_final"
  list_files ~; name *_final; kind file
  list_files ~; name *_final.*
  search_files ~; query _final; search_in name
  list_files ~; name *_final*
Are there any PDFs in Downloads that I haven't touched in over a year?
  list_files ~/Downloads; type pdf; modified_before 2025-11-15T12:00
Do I have any movies older than 5 years?
  list_files ~; type video/*; modified_before 2021-11-15T12:00
How many Word documents are in Work that were changed this month?
  list_files ~/Documents/Work; type word/*; modified_after 2026-11-01
count how many files there are in my Pictures folder
  list_files ~/Pictures; kind file
Show me all subdirectories of Documents
  list_files ~/Documents; kind folder
Find folders called Invoices
  search_files ~; query Invoices; search_in name; kind folder
Which files in Archive are over 500MB and older than two years?
  list_files ~/Archive; size_gt 500000000; modified_before 2024-11-15T12:00
What have I downloaded since yesterday?
  list_files ~/Downloads; modified_after 2026-11-14
Show me the photos I took last month, largest first
  list_files ~; type image/*; taken_after 2026-10-01; taken_before 2026-11-01; sort size; order desc
Can you see if I have any duplicate songs in Music?
  list_files ~/Music; type audio/*; duplicates
Please move all the spreadsheets on the desktop to Documents/Work
  move_file ~/Desktop; destination ~/Documents/Work; type spreadsheet/*
Move photo.jpg and video.mp4 to Archive
  asks
I'd like you to move all videos from Downloads to the Videos folder
  move_file ~/Downloads; destination ~/Videos; type video/*
Move any file larger than 2 GB from Videos to Archive
  move_file ~/Videos; destination ~/Archive; size_gt 2000000000
Move files I downloaded before October to Archive
  move_file ~/Downloads; destination ~/Archive; modified_before 2026-10-01
Move all documents except Word files from Desktop to Documents
  move_file ~/Desktop; destination ~/Documents; type document/*; exclude *.doc, *.docx, *.docm
  asks
move ~/Downloads/song.mp3 to Music/Band and call it intro.mp3
  move_file ~/Downloads/song.mp3; destination ~/Music/Band/intro.mp3
move it to Archive
  asks
copy the 10 newest screenshots from Screenshots to Desktop
  copy_file ~/Pictures/Screenshots; destination ~/Desktop; type image/*; name *screenshot*; sort modified; order desc; limit 10
Copy all text files bigger than 10 KB in Documents to Archive
  copy_file ~/Documents; destination ~/Archive; type text/plain,text/markdown; size_gt 10000
copy everything in Band to a folder called "Band Backup"
  copy_file ~/Music/Band/*; destination ~/Band Backup; kind any
delete all pdf and docx files in Downloads
  delete_file ~/Downloads; type pdf,docx
Delete the oldest file in Downloads
  delete_file ~/Downloads/*; sort modified; order asc; limit 1; kind file
Delete any video in Downloads older than 3 weeks
  delete_file ~/Downloads; type video/*; modified_before 2026-10-25T12:00
remove report_old.pdf from Work
  delete_file ~/Documents/Work/report_old.pdf
Please delete all my unnecessary files
  asks
delete files in Archive that I no longer need
  asks
Remove music files under 100 KB in Music, including subfolders
  delete_file ~/Music; type audio/*; size_lt 100000; recursive
Erase everything in the Screenshots folder
  delete_file ~/Pictures/Screenshots/*; kind any
Delete all files with "temp" in their name in Projects
  delete_file ~/Projects; name *temp*
rename Documents/Work/a.txt to b.txt
  rename_file ~/Documents/Work/a.txt; destination b.txt
Rename all files in Band to uppercase
  rename_file ~/Music/Band/*; destination {name_upper}{ext}; kind file
Add the suffix _2026 to all PDFs in Taxes
  rename_file ~/Documents/Taxes; destination {name}_2026{ext}; type pdf
create a note called shopping.txt in Documents containing "eggs, milk"
  write_file ~/Documents/shopping.txt; content eggs, milk
make an empty file test.py here
  write_file ~/Projects/shop/test.py; content
Convert photo.png to jpg
  refused any
Extract archive.zip
  refused archive_agent
upload report.pdf to Google Drive
  refused any
Show me what files I have in the Holiday 2026 folder
  list_files ~/Pictures/Holiday 2026; kind file
List everything under Projects, including what's in subfolders
  list_files ~/Projects; recursive
Let's see all the bmp files
  list_files ~; type bmp
I'm after the markdown files in the shop project
  list_files ~/Projects/shop; type md
Which audio files do I have that are longer than 20 MB?
  list_files ~; type audio/*; size_gt 20000000
find xlsx files in Work modified in the last ten days
  list_files ~/Documents/Work; type xlsx; modified_after 2026-11-05T12:00
Which of the files in Downloads came in this week?
  list_files ~/Downloads; modified_after 2026-11-09; kind file
I saved a PDF yesterday, can you find it?
  list_files ~; type pdf; modified_after 2026-11-14; modified_before 2026-11-15
find all the videos that I made in 2024
  list_files ~; type video/*; created_after 2024-01-01; created_before 2025-01-01
Is there anything in Taxes from 2023?
  list_files ~/Documents/Taxes; modified_after 2023-01-01; modified_before 2024-01-01
search "Project Phoenix" everywhere
  search_files ~; query Project Phoenix
Which of my PDFs talk about pensions?
  search_files ~; query pensions; type pdf; search_in content
I remember writing something about black holes, where is it?
  search_files ~; query black holes
find a spreadsheet called expenses
  search_files ~; query expenses; type_has xlsx; search_in name
Can you find the letter to the landlord?
  search_files ~; query letter landlord
find the photo of grandma's 80th birthday
  search_files ~; query grandma 80th birthday; type image/*
show me files with the extension .psd
  list_files ~; type psd
How large is my photo library?
  get_disk_usage ~; type image/*
  get_disk_usage ~/Pictures
How much space have my downloads used up?
  get_disk_usage ~/Downloads
show disk usage for each folder in my home directory
  get_disk_usage ~
What uses more than 10 GB on my disk?
  list_files ~; size_gt 10000000000
  get_disk_usage ~
  get_disk_usage ~; size_gt 10000000000
Calculate the size of the Videos folder
  get_disk_usage ~/Videos
what's the date on ~/Documents/will.pdf
  get_metadata ~/Documents/will.pdf
What type of file is Downloads/unknown.bin?
  get_metadata ~/Downloads/unknown.bin
show me the details of resume.docx in Documents
  get_metadata ~/Documents/resume.docx
How old is the file notes.txt?
  get_metadata ~/Projects/shop/notes.txt
open Documents/poem.txt
  read_file ~/Documents/poem.txt
please show me the content of ~/Projects/shop/package.json
  read_file ~/Projects/shop/package.json
What are the five oldest pictures I own?
  list_files ~; type image/*; sort modified; order asc; limit 5
list the two newest files in Invoices
  list_files ~/Documents/Invoices; sort modified; order desc; limit 2; kind file
Show my documents ordered from oldest to newest
  list_files ~; type_has docx; sort modified; order asc
what's the biggest thing on my desktop
  list_files ~/Desktop; sort size; order desc; limit 1
order the files in Downloads by size
  list_files ~/Downloads; sort size; order desc
Show me PDFs in Work that don't have "draft" in the name
  list_files ~/Documents/Work; type pdf; exclude *draft*
Which files in Downloads are neither images nor videos?
  list_files ~/Downloads; exclude_has *.jpg,*.mp4; kind file
Files on my desktop excluding shortcuts and pdfs
  asks
  list_files ~/Desktop; exclude_has *.pdf
Do I have any files with no extension?
  list_files ~; exclude *.*; kind file
list all the archives on my computer
  list_files ~; type_has zip
Are there hidden files in Documents?
  list_files ~/Documents; hidden; kind file
show everything in Documents/Work that changed in the last hour
  list_files ~/Documents/Work; modified_after 2026-11-15T11:00
Any screenshots from today?
  list_files ~; type image/*; name *screenshot*; modified_after 2026-11-15
  list_files ~/Pictures/Screenshots; modified_after 2026-11-15
which documents were created by me last year
  list_files ~; type_has docx; created_after 2025-01-01; created_before 2026-01-01
What do the files in Band look like? Just list them
  list_files ~/Music/Band; kind file
My Music folder - what's in there?
  list_files ~/Music
Show me only PDFs and Word files from Taxes
  list_files ~/Documents/Taxes; type_has pdf,docx
Which files in Projects contain TODO?
  search_files ~/Projects; query TODO; search_in content
I want to see the files that are taking up most of the space in Videos
  list_files ~/Videos; sort size; order desc
  get_disk_usage ~/Videos
pictures, please, from 2021 to 2023
  list_files ~; type image/*; modified_after 2021-01-01; modified_before 2024-01-01
Move the mp4 files from Desktop to Videos
  move_file ~/Desktop; destination ~/Videos; type mp4
Please take all PDFs from Downloads and put them in Documents
  move_file ~/Downloads; destination ~/Documents; type pdf
Move Documents/old.txt to Archive
  move_file ~/Documents/old.txt; destination ~/Archive
Move all the pictures I took in July from Pictures to Holiday 2026
  move_file ~/Pictures; destination ~/Pictures/Holiday 2026; type image/*; taken_after 2026-07-01; taken_before 2026-08-01
move everything from Desktop to Archive apart from notes.txt
  move_file ~/Desktop; destination ~/Archive; exclude notes.txt
Move all files smaller than 1 KB in Documents to the trash
  delete_file ~/Documents; size_lt 1000
move big files to Archive
  asks
Copy ~/Documents/cv.pdf to ~/Desktop
  copy_file ~/Documents/cv.pdf; destination ~/Desktop
copy the newest PDF in Downloads to Taxes
  copy_file ~/Downloads; destination ~/Documents/Taxes; type pdf; sort modified; order desc; limit 1
Copy the folder Work to Archive
  copy_file ~/Documents/Work; destination ~/Archive
Copy photos bigger than 5 MB from Holiday 2026 to Desktop/Big
  copy_file ~/Pictures/Holiday 2026; destination ~/Desktop/Big; type image/*; size_gt 5000000
Delete song.mp3 from the Music folder
  delete_file ~/Music/song.mp3
Delete all .bak files in Projects, recursively
  delete_file ~/Projects; type bak; recursive
delete all photos from Downloads that were taken in 2022
  delete_file ~/Downloads; type image/*; taken_after 2022-01-01; taken_before 2023-01-01
Remove everything older than five years from Archive
  delete_file ~/Archive; modified_before 2021-11-15T12:00
delete the largest file
  asks
  delete_file ~; sort size; order desc; limit 1; recursive
Delete all but the newest file in Downloads
  asks
Delete PDFs in Downloads smaller than 20 kilobytes
  delete_file ~/Downloads; type pdf; size_lt 20000
get rid of movies I've already watched
  asks
delete Screenshots folder
  delete_file ~/Pictures/Screenshots
rename "draft one.txt" to "draft two.txt"
  rename_file ~/Projects/shop/draft one.txt; destination draft two.txt
Rename all jpgs in Holiday 2026 to rome and number them
  rename_file ~/Pictures/Holiday 2026; destination rome-{n}{ext}; type jpg
Change the name of the Archive folder to Attic
  rename_file ~/Archive; destination Attic
Save "pay rent" to reminders.txt in Documents
  write_file ~/Documents/reminders.txt; content pay rent
create a new file report.md in Work with the content "# Report"
  write_file ~/Documents/Work/report.md; content # Report
Translate letter.txt into French
  refused any
Delete disk images in Downloads
  delete_file ~/Downloads; type iso,dmg,img
delete voice notes in Downloads
  asks
delete my music collection in Downloads
  asks
delete files from yesterday evening in Downloads
  asks
show me the mp4 videos in Downloads
  list_files ~/Downloads; type mp4
show me documents from newest to oldest
  list_files ~; type_has docx; sort modified; order desc
which photos are from the first half of 2026
  list_files ~; type image/*; modified_after 2026-01-01; modified_before 2026-07-01
show me pictures from early October
  list_files ~; type image/*; modified_after 2026-10-01; modified_before 2026-10-11
does the Work folder contain spreadsheets?
  list_files ~/Documents/Work; type_has xlsx
`;
