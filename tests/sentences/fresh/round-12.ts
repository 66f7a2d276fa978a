/**
 * Sentences of four people in four homes of their own; `rows.ts` says how to read them. What is
 * expected was written down before any of them was tried: 148 of 151 were right then. A
 * score of others, mostly of doubts, was added since.
 */
export const homes = [
  {
    home: 'lena',
    here: '',
    folders: [
      ...['Uni', 'Uni/Biology', 'Uni/Statistics', 'Uni/Thesis', 'Documents/Applications'],
      ...['Documents/Lecture Notes', 'Pictures/Erasmus', 'Music/Podcasts', 'Old Laptop'],
    ],
    sentences: `
show me the lecture notes from last week
  list_files ~/Documents/Lecture Notes; modified_after 2026-11-02; modified_before 2026-11-09
  search_files ~; query lecture notes; modified_after 2026-11-02; modified_before 2026-11-09
find my thesis draft
  search_files ~; query thesis draft
what's in Uni/Biology
  list_files ~/Uni/Biology
delete the zip files in Downloads
  delete_file ~/Downloads; type zip
move all PDFs from Downloads to Uni
  move_file ~/Downloads; destination ~/Uni; type pdf
how big is the Uni folder
  get_disk_usage ~/Uni
list the docx files in Applications
  list_files ~/Documents/Applications; type docx
delete all txt files on my desktop
  delete_file ~/Desktop; type txt
delete all text files on my desktop
  asks
find the essay I wrote in October
  search_files ~; query essay; modified_after 2026-10-01; modified_before 2026-11-01
copy thesis.docx to Old Laptop
  copy_file ~/thesis.docx; destination ~/Old Laptop
rename cv.pdf to cv-lena.pdf
  rename_file ~/cv.pdf; destination cv-lena.pdf
put the photos from Erasmus into Old Laptop
  move_file ~/Pictures/Erasmus; destination ~/Old Laptop; type image/*
which files did I change this week in Thesis
  list_files ~/Uni/Thesis; modified_after 2026-11-09; kind file
how many podcasts do I have
  list_files ~/Music/Podcasts
  list_files ~; type audio/*
delete everything in Podcasts
  delete_file ~/Music/Podcasts/*; kind any
delete all files in Podcasts
  delete_file ~/Music/Podcasts/*; kind file
delete podcasts I've already heard
  asks
throw out the statistics folder
  delete_file ~/Uni/Statistics
  asks
remove screenshots from my desktop older than two weeks
  delete_file ~/Desktop; type image/*; name *screenshot*; modified_before 2026-11-01T12:00
show my biggest videos
  list_files ~; type video/*; sort size; order desc
find powerpoint slides about photosynthesis
  search_files ~; query photosynthesis; type powerpoint/*
read lab.md in Biology
  read_file ~/Uni/Biology/lab.md
open the exam schedule
  search_files ~; query exam schedule
create a file called todo.txt with buy milk in it
  write_file ~/todo.txt; content buy milk
don't delete my thesis
  asks
compress the Thesis folder
  refused archive_agent
translate essay.docx into German
  refused document_agent
move everything except the PDFs from Downloads to Old Laptop
  move_file ~/Downloads; destination ~/Old Laptop; exclude *.pdf
delete duplicates in Erasmus
  asks
what did I download yesterday
  list_files ~/Downloads; modified_after 2026-11-14; modified_before 2026-11-15
find csv files bigger than 2 MB
  list_files ~; type csv; size_gt 2000000
move notes to Uni
  asks
delete old essays
  asks
delete homework.docx and essay.docx
  asks
rename the photos in Erasmus by date taken
  rename_file ~/Pictures/Erasmus; destination {taken}{ext}; type image/*
show hidden files in Uni
  list_files ~/Uni; hidden; kind file
is there a file called reading-list.pdf
  search_files ~; query reading-list.pdf; search_in name
how many pages does thesis.pdf have
  asks
  refused document_agent
email thesis.docx to my professor
  refused nobody
delete notes.txt from Uni and Biology
  asks
move podcasts to Old Laptop
  asks
delete all files from yesterday
  asks
delete the three oldest files in Lecture Notes
  delete_file ~/Documents/Lecture Notes/*; sort modified; order asc; limit 3; kind file
`,
  },
  {
    home: 'tomas',
    here: 'Clients',
    folders: [
      ...['Clients', 'Clients/Meier GmbH', 'Clients/Nordlicht', 'Accounts 2025', 'Accounts 2026'],
      ...['Receipts', 'Receipts/Travel', 'Documents/Templates', 'Documents/Contracts', 'Scans'],
    ],
    sentences: `
find all invoices from 2025
  search_files ~; query invoices; modified_after 2025-01-01; modified_before 2026-01-01
find the invoice for Nordlicht from September
  search_files ~; query invoice Nordlicht; modified_after 2026-09-01; modified_before 2026-10-01
  search_files ~/Clients/Nordlicht; query invoice; modified_after 2026-09-01; modified_before 2026-10-01
show me the spreadsheets in Accounts 2026
  list_files ~/Accounts 2026; type spreadsheet/*
move the receipts from Downloads to Receipts
  asks
move all pdf files older than 6 months from Receipts to Accounts 2025
  move_file ~/Receipts; destination ~/Accounts 2025; type pdf; modified_before 2026-05-15T12:00
copy everything in Travel to Accounts 2026
  copy_file ~/Receipts/Travel/*; destination ~/Accounts 2026; kind any
how much space do the scans take up
  get_disk_usage ~/Scans
  asks
delete all xml files in Meier GmbH
  delete_file ~/Clients/Meier GmbH; type xml
delete everything from last year in Scans
  delete_file ~/Scans; modified_after 2025-01-01; modified_before 2026-01-01
permanently delete payroll.xlsx
  delete_file ~/Clients/payroll.xlsx; permanent
which excel files were changed today
  list_files ~; type excel/*; modified_after 2026-11-15
list all .csv in Clients including subfolders
  list_files ~/Clients; type csv; recursive
rename statement.pdf to statement-2026-10.pdf in Nordlicht
  rename_file ~/Clients/Nordlicht/statement.pdf; destination statement-2026-10.pdf
add the prefix 2026_ to all pdfs in Contracts
  rename_file ~/Documents/Contracts; destination 2026_{name}{ext}; type pdf
what are the five largest files in Accounts 2025
  list_files ~/Accounts 2025; sort size; order desc; limit 5
search Contracts for termination clause
  search_files ~/Documents/Contracts; query termination clause
find documents mentioning VAT
  search_files ~; query VAT; type document/*; search_in content
delete the contract with Meier
  asks
move offer.docx to Contracts
  move_file ~/Clients/offer.docx; destination ~/Documents/Contracts
copy offer.docx to Contracts as offer-old.docx
  copy_file ~/Clients/offer.docx; destination ~/Documents/Contracts/offer-old.docx
delete all empty folders in Clients
  asks
delete empty files in Clients
  delete_file ~/Clients; size_lt 1
show pdfs between 1 and 3 MB in Scans
  list_files ~/Scans; type pdf; size_gt 1000000; size_lt 3000000
when was balance.xlsx last modified
  get_metadata ~/Clients/balance.xlsx
print balance.xlsx
  refused nobody
convert balance.xlsx to pdf
  refused document_agent
delete files in Receipts from before 2020
  delete_file ~/Receipts; modified_before 2020-01-01
please tidy up Receipts
  asks
move files from Travel to Receipts
  move_file ~/Receipts/Travel/*; destination ~/Receipts; kind file
move the Travel folder to Accounts 2026
  move_file ~/Receipts/Travel; destination ~/Accounts 2026
delete Scans
  asks
would it be ok to delete the pdfs in Scans?
  asks
find receipts over 1 MB from Q3
  search_files ~; query receipts; size_gt 1000000; modified_after 2026-07-01; modified_before 2026-10-01
  list_files ~/Receipts; size_gt 1000000; modified_after 2026-07-01; modified_before 2026-10-01
list clients
  list_files ~/Clients
  search_files ~; query clients
how many files are in Nordlicht
  list_files ~/Clients/Nordlicht; kind file
write "paid" to status.txt in Nordlicht
  write_file ~/Clients/Nordlicht/status.txt; content paid
undo
  asks
`,
  },
  {
    home: 'aiko',
    here: 'Shoots/Wedding Berg',
    folders: [
      ...['Shoots', 'Shoots/Wedding Berg', 'Shoots/Portraits', 'Exports', 'Exports/Web', 'Backup'],
      ...['Exports/Print', 'Pictures/Lightroom', 'Selects', 'Videos/Reels'],
    ],
    sentences: `
list the raw files in this folder
  list_files ~/Shoots/Wedding Berg; type raw,cr2,nef,arw,dng
move all .cr2 files to Selects
  move_file ~/Shoots/Wedding Berg; destination ~/Selects; type cr2
  asks
copy the jpgs here to Web
  copy_file ~/Shoots/Wedding Berg; destination ~/Exports/Web; type jpg
delete blurry photos
  asks
delete all photos smaller than 500 KB in Exports
  delete_file ~/Exports; type image/*; size_lt 500000
show photos taken in August
  list_files ~; type image/*; taken_after 2026-08-01; taken_before 2026-09-01
how many photos did I take last month
  list_files ~; type image/*; taken_after 2026-10-01; taken_before 2026-11-01
rename all photos in Portraits to portrait and number them
  rename_file ~/Shoots/Portraits; destination portrait-{n}{ext}; type image/*
resize the images in Web
  refused image_agent
convert the raw files to jpg
  refused any
how much space do my raw files take
  get_disk_usage ~; type raw,cr2,nef,arw,dng
move videos longer than 5 minutes to Reels
  asks
move videos from here to Reels
  move_file ~/Shoots/Wedding Berg; destination ~/Videos/Reels; type video/*
find DSC_0042.NEF
  search_files ~; query DSC_0042.NEF
move DSC_0042.NEF to Selects
  move_file ~/Shoots/Wedding Berg/DSC_0042.NEF; destination ~/Selects
delete all jpgs but keep the raws in Wedding Berg
  asks
copy everything from Wedding Berg to Backup
  copy_file ~/Shoots/Wedding Berg/*; destination ~/Backup; kind any
back up Portraits to Backup
  copy_file ~/Shoots/Portraits; destination ~/Backup
delete Backup folder contents older than a year
  delete_file ~/Backup; modified_before 2025-11-15T12:00
  asks
which camera took DSC_0042.NEF
  get_metadata ~/Shoots/Wedding Berg/DSC_0042.NEF
where was sunset.jpg taken
  get_metadata ~/Shoots/Wedding Berg/sunset.jpg
find photos of the bride
  search_files ~; query bride; type image/*
show me the newest exports
  list_files ~/Exports; sort modified; order desc
  search_files ~; query exports
find all nef files
  list_files ~; type nef
delete the cr2 files in Selects
  delete_file ~/Selects; type cr2
find tiff images in Print
  list_files ~/Exports/Print; type tiff
delete every psd in Exports older than 90 days
  delete_file ~/Exports; type psd; modified_before 2026-08-17T13:00
delete all but the 10 largest photos in Selects
  asks
delete the first photo in Selects
  asks
get rid of all heic files in Downloads
  delete_file ~/Downloads; type heic
upload Web to Instagram
  refused nobody
show screenshots except the ones in Lightroom
  list_files ~; type image/*; name *screenshot*; exclude Lightroom
put all pngs on the desktop into Web
  move_file ~/Desktop; destination ~/Exports/Web; type png
are there duplicate images in Portraits?
  list_files ~/Shoots/Portraits; type image/*; duplicates
photos from last weekend
  list_files ~; type image/*; modified_after 2026-11-07; modified_before 2026-11-09
make the photos brighter
  refused image_agent
move photos taken before 2024 from Lightroom to Backup
  move_file ~/Pictures/Lightroom; destination ~/Backup; type image/*; taken_before 2024-01-01
delete everything in Exports except Print
  delete_file ~/Exports; exclude *Print*
  asks
replace spaces with underscores in the file names in Portraits
  rename_file ~/Shoots/Portraits/*; destination {name_underscored}{ext}; kind file
`,
  },
  {
    home: 'sam',
    here: 'code/api',
    folders: [
      ...['code', 'code/api', 'code/web', 'code/scripts', 'notes', 'tmp', 'logs'],
      ...['Documents/Specs'],
    ],
    sentences: `
delete key files in code
  asks
what's in ./src
  list_files ~/code/api/src
delete all log files in logs
  delete_file ~/logs; type log
find TODO in python files
  search_files ~; query TODO; type py
  search_files ~; query TODO; type py; search_in content
grep for "fetchUser" in code/web
  search_files ~/code/web; query fetchUser; search_in content
list the ts files here
  list_files ~/code/api; type ts
delete node_modules
  asks
delete all .tmp and .bak files in code
  delete_file ~/code; type tmp,bak
remove tmp
  asks
empty the tmp folder
  delete_file ~/tmp/*; kind any
how large is code
  get_disk_usage ~/code
which files in api are bigger than 10 MB
  list_files ~/code/api; size_gt 10000000
show README.md
  read_file ~/code/api/README.md
what changed in api since yesterday
  list_files ~/code/api; modified_after 2026-11-14
move config.yaml to scripts
  move_file ~/code/api/config.yaml; destination ~/code/scripts
rename main.js to index.js
  rename_file ~/code/api/main.js; destination index.js
copy .env to web
  copy_file ~/code/api/.env; destination ~/code/web
delete .DS_Store files everywhere
  delete_file ~; name .DS_Store; recursive
delete all txt files
  delete_file ~/code/api; type txt
  asks
delete the build folder
  asks
delete all files ending in .orig in web
  delete_file ~/code/web; name *.orig
list json files modified in the last hour
  list_files ~; type json; modified_after 2026-11-15T11:00
run build.sh
  refused nobody
diff a.json and b.json
  refused nobody
create an empty file called .gitkeep in tmp
  write_file ~/tmp/.gitkeep; content
write "the cloud is down" to status.txt
  write_file ~/code/api/status.txt; content the cloud is down
create a file called plan.txt saying "every day, move all files into a zip"
  write_file ~/code/api/plan.txt; content every day, move all files into a zip
find "first line of the nas"
  search_files ~; query first line of the nas
delete "and all folders.txt" in tmp
  delete_file ~/tmp/and all folders.txt
move "into the photo.txt" to notes
  move_file ~/code/api/into the photo.txt; destination ~/notes
rename "every file.txt" to "all or any files.txt"
  rename_file ~/code/api/every file.txt; destination all or any files.txt
write "node_modules" to .gitignore
  write_file ~/code/api/.gitignore; content node_modules
find files named docker-compose.yml
  search_files ~; query docker-compose.yml; search_in name
show the last 20 files changed in code
  list_files ~/code; sort modified; order desc; limit 20; kind file
delete source code in tmp
  delete_file ~/tmp; type code/*
move all markdown files from api to notes
  move_file ~/code/api; destination ~/notes; type md
move specs to Documents/Specs
  asks
delete everything older than 7 days in logs but not the gz files
  delete_file ~/logs; modified_before 2026-11-08T12:00; exclude *.gz
do a dry run of deleting all logs in code
  delete_file ~/code; type log; dry_run
what would happen if I deleted logs
  delete_file ~/logs; dry_run
  delete_file ~; type log; recursive; dry_run
  asks
unzip release.zip
  refused archive_agent
find large files
  list_files ~; sort size; order desc
find everything in notes about kubernetes
  search_files ~/notes; query kubernetes
sync code with the server
  refused nobody
delete package-lock.json in web
  delete_file ~/code/web/package-lock.json
delete every folder in tmp
  delete_file ~/tmp; kind folder
delete the contents of tmp
  delete_file ~/tmp/*; kind any
delete the contents of tmp and logs
  asks
empty a.txt
  asks
delete a b.txt
  asks
delete ./a.txt
  delete_file ~/code/api/a.txt
move ./a.txt to ./old
  move_file ~/code/api/a.txt; destination ~/code/api/old
delete files without an extension in tmp
  delete_file ~/tmp; exclude *.*
delete files not modified in June in logs
  asks
delete almost everything in tmp
  asks
delete logs
  asks
delete all files in code that are not typescript
  asks
delete all but README.md in web
  delete_file ~/code/web; exclude README.md
delete files in logs bigger than 100 MB or older than a month
  asks
delete md files in notes, but first show me
  asks
delete images not used in web
  asks
`,
  },
] as const;
