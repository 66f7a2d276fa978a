/** Sentences that only look; `rows.ts` says how to read them. */
export const looking = `
Find all the PDFs I downloaded this month
  list_files ~/Downloads; type pdf; modified_after 2026-11-01; recursive
How much space are my video files taking up?
  get_disk_usage ~; type video/*
Find the invoice I got from Ahmed last week
  search_files ~; query invoice Ahmed; modified_after 2026-11-02; modified_before 2026-11-09; recursive
What are the 10 largest files on my computer?
  list_files ~; recursive; sort size; order desc; limit 10
List the files in Downloads
  list_files ~/Downloads; kind file
What's in my Documents folder?
  list_files ~/Documents
Show me everything on my desktop
  list_files ~/Desktop
show me all photos in Pictures
  list_files ~/Pictures; type image/*; recursive
Please list my Music folder
  list_files ~/Music
Could you show me what's in Documents/Work?
  list_files ~/Documents/Work
List all files in ~/Projects/shop recursively
  list_files ~/Projects/shop; recursive; kind file
What files are in this folder?
  list_files ~/Projects/shop; kind file
What do I have in Videos?
  list_files ~/Videos
Display the contents of Downloads
  list_files ~/Downloads
list hidden files in my home folder
  list_files ~; hidden; kind file
Show hidden files here
  list_files ~/Projects/shop; hidden; kind file
Find PDFs
  list_files ~; type pdf; recursive
Find all spreadsheets in Documents
  list_files ~/Documents; type spreadsheet/*; recursive
Find all Word documents modified last week
  list_files ~; type word/*; modified_after 2026-11-02; modified_before 2026-11-09; recursive
Which photos were taken in July 2026?
  list_files ~; type image/*; taken_after 2026-07-01; taken_before 2026-08-01; recursive
Which files did I change today?
  list_files ~; modified_after 2026-11-15; recursive; kind file
Show me files I edited yesterday
  list_files ~; modified_after 2026-11-14; modified_before 2026-11-15; recursive; kind file
Find files bigger than 100 MB
  list_files ~; size_gt 100000000; recursive
Find videos larger than half a gigabyte
  list_files ~; type video/*; size_gt 500000000; recursive
Find files between 1 and 5 MB in Downloads
  list_files ~/Downloads; size_gt 1000000; size_lt 5000000; recursive
Are there any files over 2 GB on my computer?
  list_files ~; size_gt 2000000000; recursive
Find empty files in Documents
  list_files ~/Documents; size_lt 1; recursive
Show me .py files in Projects
  list_files ~/Projects; type py; recursive
Find all *.log files
  list_files ~; type log; recursive
Find jpgs in Pictures older than two years
  list_files ~/Pictures; type jpg,jpeg; modified_before 2024-11-15T12:00; recursive
list the three newest files in Downloads
  list_files ~/Downloads; recursive; sort modified; order desc; limit 3; kind file
Show the top 5 biggest videos
  list_files ~; type video/*; recursive; sort size; order desc; limit 5
What is the largest file in Downloads?
  list_files ~/Downloads; recursive; sort size; order desc; limit 1
What's the oldest document I have?
  list_files ~; type document/*; recursive; sort modified; order asc; limit 1
Show me the most recent photos
  list_files ~; type image/*; recursive; sort modified; order desc
Find duplicates in Pictures
  list_files ~/Pictures; duplicates; recursive
Are there duplicate photos on my computer?
  list_files ~; type image/*; duplicates; recursive
Find files containing "project alpha"
  search_files ~; query project alpha; recursive; search_in content; exact
Find documents that mention budget
  search_files ~; query budget; type document/*; recursive; search_in content
Search for files with the word dentist
  search_files ~; query dentist; recursive; search_in content
Find files called report
  search_files ~; query report; recursive; search_in name
Find the file named "tax return"
  search_files ~; query tax return; recursive; search_in name; exact
Look for my passport scan
  search_files ~; query passport scan; recursive
Where is my contract?
  search_files ~; query contract; recursive
Where did I put the shopping list?
  search_files ~; query shopping list; recursive
Find photos of cats
  search_files ~; query cats; type image/*; recursive
search my documents for insurance
  search_files ~; query insurance; type document/*; recursive
Find invoices from 2025
  search_files ~; query invoices; modified_after 2025-01-01; modified_before 2026-01-01; recursive
Find files modified between 1 September and 30 September 2026
  list_files ~; modified_after 2026-09-01; modified_before 2026-10-01; recursive; kind file
Show documents changed since Monday
  list_files ~; type document/*; modified_after 2026-11-09; recursive
Find files created on 3 March 2025
  list_files ~; created_after 2025-03-03; created_before 2025-03-04; recursive; kind file
Find music added in the last 3 days
  list_files ~; type audio/*; modified_after 2026-11-12T12:00; recursive
Find everything I downloaded yesterday
  list_files ~/Downloads; modified_after 2026-11-14; modified_before 2026-11-15; recursive
Show me what I downloaded this week
  list_files ~/Downloads; modified_after 2026-11-09; recursive
May I see the photos from July?
  list_files ~; type image/*; modified_after 2026-07-01; modified_before 2026-08-01; recursive
Find sun photos
  search_files ~; query sun; type image/*; recursive
Find report May 2026 final
  search_files ~; query report May 2026 final; recursive
Find videos from this summer
  list_files ~; type video/*; modified_after 2026-06-01; modified_before 2026-09-01; recursive
Find spreadsheets from Q3 2026
  list_files ~; type spreadsheet/*; modified_after 2026-07-01; modified_before 2026-10-01; recursive
Show files not modified in a year
  list_files ~; modified_before 2025-11-15T12:00; recursive; kind file
Find PDFs I haven't opened in six months
  list_files ~; type pdf; modified_before 2026-05-15T12:00; recursive
Find photos except screenshots
  list_files ~; type image/*; exclude *screenshot*; recursive
List everything in Documents except PDFs
  list_files ~/Documents; exclude *.pdf
Show me files in Documents but not the ones in Work
  list_files ~/Documents; exclude Work; kind file
Find archives in Downloads
  list_files ~/Downloads; type archive/*; recursive
Find zip files older than a year
  list_files ~; type zip; modified_before 2025-11-15T12:00; recursive
Find presentations
  list_files ~; type presentation/*; recursive
Find source code in Projects
  list_files ~/Projects; type code/*; recursive
How many photos do I have?
  list_files ~; type image/*; recursive
How many PDFs are in Downloads?
  list_files ~/Downloads; type pdf; recursive
How big is my Downloads folder?
  get_disk_usage ~/Downloads
What is the size of Documents?
  get_disk_usage ~/Documents
How much space does Music take up?
  get_disk_usage ~/Music
How much disk space is used by photos?
  get_disk_usage ~; type image/*
disk usage of Pictures
  get_disk_usage ~/Pictures
What's taking up all my space?
  get_disk_usage ~
How large is the Projects directory?
  get_disk_usage ~/Projects
How much storage do my PDFs use?
  get_disk_usage ~; type pdf
When was report.pdf last changed?
  get_metadata ~/Projects/shop/report.pdf
When was notes.md in Documents created?
  get_metadata ~/Documents/notes.md
What kind of file is letter.doc?
  get_metadata ~/Projects/shop/letter.doc
Give me the details of budget.ods in Work
  get_metadata ~/Documents/Work/budget.ods
Show me info about ~/Downloads/report.pdf
  get_metadata ~/Downloads/report.pdf
Tell me about contract.docx
  get_metadata ~/Projects/shop/contract.docx
Read notes.md
  read_file ~/Projects/shop/notes.md
Open notes.md in Documents
  read_file ~/Documents/notes.md
Show me the contents of ~/Documents/notes.md
  read_file ~/Documents/notes.md
What does notes.txt say?
  read_file ~/Projects/shop/notes.txt
Read the file "shopping list.txt" on my desktop
  read_file ~/Desktop/shopping list.txt
Find "delete all files"
  search_files ~; query delete all files; recursive; exact
Find files named "rm -rf"
  search_files ~; query rm -rf; recursive; search_in name; exact
can u find my resume
  search_files ~; query resume; recursive
Any big files in Downloads?
  list_files ~/Downloads; recursive; sort size; order desc
Which folder is the biggest?
  get_disk_usage ~
Show pictures I took in August
  list_files ~; type image/*; taken_after 2026-08-01; taken_before 2026-09-01; recursive
what PDFs did I get this week
  list_files ~; type pdf; modified_after 2026-11-09; recursive
Give me a list of all the spreadsheets on my machine
  list_files ~; type spreadsheet/*; recursive
Where are my tax returns?
  search_files ~; query tax returns; recursive
Let me see the last 5 files I downloaded
  list_files ~/Downloads; recursive; sort modified; order desc; limit 5; kind file
Show me the ten oldest files in Documents
  list_files ~/Documents; recursive; sort modified; order asc; limit 10; kind file
List everything on the Desktop sorted by size
  list_files ~/Desktop; recursive; sort size; order desc
Show me all files in Downloads, newest first
  list_files ~/Downloads; recursive; sort modified; order desc; kind file
Find anything about the wedding
  search_files ~; query wedding; recursive
Look for a document containing the phrase "force majeure"
  search_files ~; query force majeure; type document/*; recursive; search_in content; exact
Search Downloads for invoice
  search_files ~/Downloads; query invoice; recursive
Which of my videos are over 1GB?
  list_files ~; type video/*; size_gt 1000000000; recursive
Show me mp3 files smaller than 3 MB
  list_files ~; type mp3; size_lt 3000000; recursive
Find all images that are larger than 5MB and older than a year
  list_files ~; type image/*; modified_before 2025-11-15T12:00; size_gt 5000000; recursive
What have I changed in Work since yesterday?
  list_files ~/Documents/Work; modified_after 2026-11-14; recursive
Show me Excel files from the past month
  list_files ~; type excel/*; modified_after 2026-10-15T12:00; recursive
What's the total size of my photos?
  get_disk_usage ~; type image/*
How much of my disk do videos use?
  get_disk_usage ~; type video/*
What takes up the most space in Documents?
  get_disk_usage ~/Documents
Tell me how big the Archive folder is
  get_disk_usage ~/Archive
Is report.pdf in Downloads?
  search_files ~/Downloads; query report.pdf; recursive; exact
When did I last modify budget-2026.csv?
  get_metadata ~/Projects/shop/budget-2026.csv
What type of file is scan in Downloads?
  search_files ~/Downloads; query scan; recursive
Show details for "Passport scan.pdf" on the Desktop
  get_metadata ~/Desktop/Passport scan.pdf
open the file todo.txt
  read_file ~/Projects/shop/todo.txt
Please read me ~/Documents/notes.md
  read_file ~/Documents/notes.md
cat ~/Documents/Work/meeting-1.md
  read_file ~/Documents/Work/meeting-1.md
List Dowloads
  list_files ~/Downloads
show me whats in my donwloads folder
  list_files ~/Downloads
What is in pictures?
  list_files ~/Pictures
Show files older than 03/04/2025
  list_files ~; modified_before 2025-04-03; recursive; kind file
Find files from 2024 and 2025
  list_files ~; modified_after 2024-01-01; modified_before 2026-01-01; recursive; kind file
Show documents from between 2 and 5 November
  list_files ~; type document/*; modified_after 2026-11-02; modified_before 2026-11-06; recursive
Show me today's files
  list_files ~; modified_after 2026-11-15; recursive; kind file
Show this week's downloads
  list_files ~/Downloads; modified_after 2026-11-09; recursive
What did I download today?
  list_files ~/Downloads; modified_after 2026-11-15; recursive
What did I work on yesterday?
  list_files ~; modified_after 2026-11-14; modified_before 2026-11-15; recursive
Find screenshots from the last 24 hours
  list_files ~; type image/*; name *screenshot*; modified_after 2026-11-14T12:00; recursive
Find files modified more than 6 months ago
  list_files ~; modified_before 2026-05-15T12:00; recursive; kind file
Find anything older than a decade
  list_files ~; modified_before 2016-11-15T12:00; recursive
List PDFs that are no more than 3 months old
  list_files ~; type pdf; modified_after 2026-08-15T12:00; recursive
Find all photos taken last summer
  list_files ~; type image/*; taken_after 2026-06-01; taken_before 2026-09-01; recursive
Show videos from last weekend
  list_files ~; type video/*; modified_after 2026-11-07; modified_before 2026-11-09; recursive
Show documents created this year
  list_files ~; type document/*; created_after 2026-01-01; recursive
Find spreadsheets I edited in Q1
  list_files ~; type spreadsheet/*; modified_after 2026-01-01; modified_before 2026-04-01; recursive
Show me the first 20 files in Downloads
  list_files ~/Downloads; recursive; limit 20; kind file
Top 10 largest PDFs
  list_files ~; type pdf; recursive; sort size; order desc; limit 10
Which is the newest file on my desktop?
  list_files ~/Desktop; recursive; sort modified; order desc; limit 1; kind file
Show me my old photos
  list_files ~; type image/*; recursive; sort modified; order asc
List folders in Documents
  list_files ~/Documents; kind folder
How many folders are in Projects?
  list_files ~/Projects; kind folder; recursive
How many files are in Downloads including subfolders?
  list_files ~/Downloads; recursive; kind file
List files in Documents, but not subfolders
  list_files ~/Documents; recursive no; kind file
Find "annual report" in Documents
  search_files ~/Documents; query annual report; recursive; exact
Find files in Work that mention "budget" from this year
  search_files ~/Documents/Work; query budget; modified_after 2026-01-01; recursive; search_in content; exact
Find text files containing TODO in Projects
  search_files ~/Projects; query TODO; type text/plain,text/markdown; recursive; search_in content
Find the email from the bank
  search_files ~; query email bank; recursive
Find my notes about the café
  search_files ~; query notes café; recursive
find all the .JPG files in ~/Pictures/Holiday 2026
  list_files ~/Pictures/Holiday 2026; type jpg,jpeg; recursive
What's inside Projects/shop?
  list_files ~/Projects/shop
ls Downloads
  list_files ~/Downloads
List /home/mary/Documents
  list_files ~/Documents
Show me what is on the desktop
  list_files ~/Desktop
How much space do files older than a year take up?
  get_disk_usage ~; modified_before 2025-11-15T12:00
How big is report.pdf?
  get_metadata ~/Projects/shop/report.pdf
What's the size of my music?
  get_disk_usage ~; type audio/*
Which files are larger than 1 GiB?
  list_files ~; size_gt 1073741824; recursive
Find files under 1 KB
  list_files ~; size_lt 1000; recursive
Find files of at least 20 megabytes in Videos
  list_files ~/Videos; size_gt 19999999; recursive
Find PDFs and Word documents in Downloads
  list_files ~/Downloads; type pdf,word/*; recursive
Find photos and videos from July 2026
  list_files ~; type image/*,video/*; modified_after 2026-07-01; modified_before 2026-08-01; recursive
Find all code in Projects except *.js
  list_files ~/Projects; type code/*; exclude *.js; recursive
Find images but not screenshots
  list_files ~; type image/*; exclude *screenshot*; recursive
Search for "quarterly results" everywhere
  search_files ~; query quarterly results; recursive; exact
Do I have a file called budget?
  search_files ~; query budget; recursive; search_in name
Locate contract.docx
  search_files ~; query contract.docx; recursive; exact
Can you tell me when notes.md was last modified?
  get_metadata ~/Projects/shop/notes.md
Information about ~/Documents/notes.md
  get_metadata ~/Documents/notes.md
Read "Shopping list.txt" from Desktop
  read_file ~/Desktop/Shopping list.txt
Where's the presentation I made for the board meeting?
  search_files ~; query board meeting; type presentation/*; recursive
I need the photos we shot in September
  list_files ~; type image/*; taken_after 2026-09-01; taken_before 2026-10-01; recursive
Would you kindly list all audio files?
  list_files ~; type audio/*; recursive
What have I got on my desktop?
  list_files ~/Desktop
Display every PNG in Screenshots
  list_files ~/Pictures/Screenshots; type png; recursive
Are any of my documents bigger than 20 MB?
  list_files ~; type document/*; size_gt 20000000; recursive
How much do my downloads weigh?
  get_disk_usage ~/Downloads
Hey, what's hogging my disk?
  get_disk_usage ~
Pull up everything from two weeks ago
  list_files ~; modified_after 2026-11-01; modified_before 2026-11-02; recursive
Show me whatever I saved last Friday
  list_files ~; modified_after 2026-11-13; modified_before 2026-11-14; recursive
Which spreadsheets haven't I touched since January?
  list_files ~; type spreadsheet/*; modified_before 2026-01-01; recursive
Show the documents I haven't changed this year
  list_files ~; type document/*; modified_before 2026-01-01; recursive
Give me the five smallest files in Work
  list_files ~/Documents/Work; recursive; sort size; order asc; limit 5
Find large videos
  list_files ~; type video/*; recursive; sort size; order desc
Find GIFs on my laptop
  list_files ~; type gif; recursive
Show me all the images from the Holiday 2026 folder
  list_files ~/Pictures/Holiday 2026; type image/*; recursive
Search inside Documents/Work for the word "deadline"
  search_files ~/Documents/Work; query deadline; recursive; search_in content; exact
Find files whose name contains budget
  search_files ~; query budget; recursive; search_in name
Find all files ending in .bak
  list_files ~; name *.bak; recursive; kind file
Find files starting with IMG
  list_files ~; name IMG*; recursive; kind file
I want to see every PDF modified after 1 October 2026
  list_files ~; type pdf; modified_after 2026-10-02; recursive
Show me files modified before 1 January 2020
  list_files ~; modified_before 2020-01-01; recursive; kind file
Find files dated 2025-12-24
  list_files ~; modified_after 2025-12-24; modified_before 2025-12-25; recursive; kind file
Show documents from the first quarter of 2026
  list_files ~; type document/*; modified_after 2026-01-01; modified_before 2026-04-01; recursive
Show documents edited earlier today
  list_files ~; type document/*; modified_after 2026-11-15; recursive
Files changed in the past hour
  list_files ~; modified_after 2026-11-15T11:00; recursive; kind file
newest 3 pdfs
  list_files ~; type pdf; recursive; sort modified; order desc; limit 3
largest folder in Projects
  get_disk_usage ~/Projects
list my documents
  list_files ~; type document/*; recursive
list the Documents folder, including hidden files
  list_files ~/Documents; hidden; kind file
Find things I downloaded in October that are bigger than 50MB
  list_files ~/Downloads; modified_after 2026-10-01; modified_before 2026-11-01; size_gt 50000000; recursive
How many songs do I own?
  list_files ~; type audio/*; recursive
What's the combined size of all PDFs in Documents?
  get_disk_usage ~/Documents; type pdf
how much space is used on this computer
  get_disk_usage ~
show me the size of the Pictures folder
  get_disk_usage ~/Pictures
Get me the metadata for IMG_1001.JPG in Holiday 2026
  get_metadata ~/Pictures/Holiday 2026/IMG_1001.JPG
who owns notes.md
  get_metadata ~/Projects/shop/notes.md
What is report.pdf?
  get_metadata ~/Projects/shop/report.pdf
Show me what's written in todo.txt
  read_file ~/Projects/shop/todo.txt
Display README.md
  read_file ~/Projects/shop/README.md
Open "To do.md" on my desktop
  read_file ~/Desktop/To do.md
Which PDFs on my desktop are older than three months?
  list_files ~/Desktop; type pdf; modified_before 2026-08-15T12:00; recursive
What's the latest thing I downloaded?
  list_files ~/Downloads; recursive; sort modified; order desc; limit 1
show all my spreadsheets, biggest first
  list_files ~; type spreadsheet/*; recursive; sort size; order desc
Find the photo of our cat
  search_files ~; query cat; type image/*; recursive
Search for tax documents from 2024
  search_files ~; query tax; type document/*; modified_after 2024-01-01; modified_before 2025-01-01; recursive
Where can I find the contract with Acme?
  search_files ~; query contract Acme; recursive
list everything in my Music folder including subfolders
  list_files ~/Music; recursive
Show me the contents of the Archive directory
  list_files ~/Archive
I'd like to know how much space my Downloads folder uses
  get_disk_usage ~/Downloads
What's the biggest folder in my home?
  get_disk_usage ~
Are there any empty files in Projects?
  list_files ~/Projects; size_lt 1; recursive
Find JPEG images bigger than 2.5 MB taken in 2026
  list_files ~; type jpg,jpeg; taken_after 2026-01-01; size_gt 2500000; recursive
Find documents I created last Tuesday
  list_files ~; type document/*; created_after 2026-11-10; created_before 2026-11-11; recursive
Show me files that were modified in the last hour
  list_files ~; modified_after 2026-11-15T11:00; recursive; kind file
Which files in Work have changed since the beginning of the month?
  list_files ~/Documents/Work; modified_after 2026-11-01; recursive; kind file
Find all markdown files that contain "TODO"
  search_files ~; query TODO; type md; recursive; search_in content; exact
find files with "budget" in the title
  search_files ~; query budget; recursive; search_in name; exact
Look for ebooks
  list_files ~; type ebook/*; recursive
List all .csv files under ~/Documents
  list_files ~/Documents; type csv; recursive
show the properties of ~/Videos/wedding.mp4
  get_metadata ~/Videos/wedding.mp4
How old is report.pdf?
  get_metadata ~/Projects/shop/report.pdf
Read me the shopping list
  search_files ~; query shopping list; recursive
Can you open ~/Desktop/To do.md for me?
  read_file ~/Desktop/To do.md
Show only the folders
  list_files ~; kind folder; recursive
list just the folders in Downloads
  list_files ~/Downloads; kind folder
Find large video files I no longer need
  list_files ~; type video/*; recursive; sort size; order desc
small files in Documents under 1 kb
  list_files ~/Documents; size_lt 1000; recursive
When was my tax return last modified?
  search_files ~; query tax return; recursive
Show the last modified files
  list_files ~; recursive; sort modified; order desc; kind file
Where was sunset.jpg taken?
  get_metadata ~/Projects/shop/sunset.jpg
Show me .gitignore
  read_file ~/Projects/shop/.gitignore
find files containing report in the name
  search_files ~; query report; recursive; search_in name
Which invoices did I receive in October?
  search_files ~; query invoices; modified_after 2026-10-01; modified_before 2026-11-01; recursive
find all .env files
  list_files ~; name .env; recursive
  search_files ~; query .env; recursive; search_in name
  search_files ~; query .env; recursive
  search_files ~; query .env; recursive; exact
what did I change in Work on Tuesday
  list_files ~/Documents/Work; modified_after 2026-11-10; modified_before 2026-11-11; recursive
is Downloads empty?
  list_files ~/Downloads
  list_files ~/Downloads; recursive
which files are exact copies of each other in Pictures
  list_files ~/Pictures; duplicates; recursive
find text "hello world" in all files
  search_files ~; query hello world; recursive; search_in content; exact
`;
