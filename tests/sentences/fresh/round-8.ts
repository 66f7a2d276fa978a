/** Sentences as very different people type them; `rows.ts` says how to read them. */
export const round8 = `
hi, could you tell me which presentations are in Work?
  list_files ~/Documents/Work; type_has pptx
I seem to have lost my insurance policy
  search_files ~; query insurance policy
got a bill from the plumber somewhere, can you find it?
  search_files ~; query bill plumber
Everything I changed between 9 and 13 November
  list_files ~; modified_after 2026-11-09; modified_before 2026-11-14
list the contents of ~/Projects including hidden files
  list_files ~/Projects; hidden; kind file
Pictures bigger than 3MB taken this year
  list_files ~; type image/*; size_gt 3000000; taken_after 2026-01-01
  list_files ~/Pictures; size_gt 3000000; taken_after 2026-01-01
  list_files ~/Pictures; type image/*; size_gt 3000000; taken_after 2026-01-01
show me the ten oldest files in my home
  list_files ~; sort modified; order asc; limit 10; kind file
Which documents mention both Anna and Peter?
  search_files ~; query anna peter; type_has docx; search_in content
  search_files ~; query both anna peter; type_has docx; search_in content
  search_files ~; query anna peter; type_has docx
find "final_v2" anywhere
  search_files ~; query final_v2
do I still have the lease agreement
  search_files ~; query lease agreement
how many gb of videos have I got
  get_disk_usage ~; type video/*
How much does the Work folder weigh?
  get_disk_usage ~/Documents/Work
what are the sizes of the folders in Documents
  get_disk_usage ~/Documents
  list_files ~/Documents; kind folder
print out ~/Documents/poem.txt
  read_file ~/Documents/poem.txt
  refused any
tell me what's in ~/Documents/poem.txt
  read_file ~/Documents/poem.txt
what was the last thing I downloaded?
  list_files ~/Downloads; sort modified; order desc; limit 1
which files in Downloads have I never opened
  asks
  search_files ~/Downloads; query_has never
  search_files ~/Downloads; query_has opened
  refused any
list mp3 and flac files sorted by size
  list_files ~; type mp3,flac; sort size; order desc
xlsx from Q3
  list_files ~; type xlsx; modified_after 2026-07-01; modified_before 2026-10-01
pdf > 5mb in downloads
  list_files ~/Downloads; type pdf; size_gt 5000000
look for python scripts changed after 1 Nov
  list_files ~; type py; modified_after 2026-11-01
  list_files ~; type py; modified_after 2026-11-02
show images in Documents and its subfolders
  list_files ~/Documents; type image/*
where are the biggest files in Projects
  list_files ~/Projects; sort size; order desc
Can you see any pdfs on my Desktop?
  list_files ~/Desktop; type pdf
list all my spreadsheets that have "budget" in the name
  search_files ~; query budget; type spreadsheet/*; search_in name
  list_files ~; type spreadsheet/*; name *budget*
what is the creation date of ~/Documents/cv.odt
  get_metadata ~/Documents/cv.odt
what changed
  asks
  list_files ~; sort modified; order desc
  list_files ~
please move every mp4 on the desktop to the Videos folder
  move_file ~/Desktop; type mp4; destination ~/Videos
Move all photos from Downloads to Pictures, but not screenshots
  move_file ~/Downloads; type image/*; exclude *screenshot*; destination ~/Pictures
shift everything in Work older than two years across to Archive
  move_file ~/Documents/Work; modified_before 2024-11-15T12:00; destination ~/Archive
I'd like you to move contract.pdf from my desktop to Work
  move_file ~/Desktop/contract.pdf; destination ~/Documents/Work
move pdfs and word docs from desktop to documents
  move_file ~/Desktop; type_has pdf,docx; destination ~/Documents
  asks
Move all the .txt and .md files in Downloads to Documents
  move_file ~/Downloads; type txt,md; destination ~/Documents
Move the Holiday 2026 folder to Archive
  move_file ~/Pictures/Holiday 2026; destination ~/Archive
move files bigger than 1.5 GB from Videos into ~/Archive/Big Videos
  move_file ~/Videos; size_gt 1500000000; destination ~/Archive/Big Videos
copy everything in Taxes to ~/Backup/Taxes
  copy_file ~/Documents/Taxes/*; destination ~/Backup/Taxes; kind any
Could you duplicate budget.xlsx from Work to Desktop?
  copy_file ~/Documents/Work/budget.xlsx; destination ~/Desktop
  asks
copy jpgs from Holiday 2026 to Desktop
  copy_file ~/Pictures/Holiday 2026; type jpg; destination ~/Desktop
copy PDFs from this year in Invoices to Taxes
  copy_file ~/Documents/Invoices; type pdf; modified_after 2026-01-01; destination ~/Documents/Taxes
delete mp3s from Downloads older than 2 months
  delete_file ~/Downloads; type mp3; modified_before 2026-09-15T12:00
delete all the videos in Downloads larger than 700 MB
  delete_file ~/Downloads; type video/*; size_gt 700000000
bin ~/Desktop/untitled.txt
  delete_file ~/Desktop/untitled.txt
Delete screenshots on the Desktop from last week
  delete_file ~/Desktop; type image/*; name *screenshot*; modified_after 2026-11-02; modified_before 2026-11-09
Please empty the Screenshots folder
  delete_file ~/Pictures/Screenshots/*; kind any
remove *.bak from Projects recursively
  delete_file ~/Projects; type bak; recursive
delete exe and msi files in Downloads
  delete_file ~/Downloads; type exe,msi
what happens if I delete everything in Archive older than 5 years
  delete_file ~/Archive; modified_before 2021-11-15T12:00; dry_run
simulate moving all pdfs from Downloads to Work
  move_file ~/Downloads; type pdf; destination ~/Documents/Work; dry_run
rename all jpgs in Holiday 2026 to beach and number them
  rename_file ~/Pictures/Holiday 2026; type jpg; destination beach-{n}{ext}
rename files in Downloads replacing spaces with underscores
  rename_file ~/Downloads/*; destination {name_underscored}{ext}; kind file
Rename plan.md in Work to plan-2026.md
  rename_file ~/Documents/Work/plan.md; destination plan-2026.md
write "todo" into ~/Desktop/todo.txt
  write_file ~/Desktop/todo.txt; content todo
create a text file called hello.txt in Documents saying "hi there"
  write_file ~/Documents/hello.txt; content hi there
delete the thing I was working on yesterday
  asks
delete whatever takes up most space
  asks
get rid of all that junk in Downloads
  asks
  delete_file ~/Downloads/*
make Downloads smaller
  asks
  refused any
keep only pdfs in Downloads
  asks
  refused any
delete all but pdfs in Downloads
  delete_file ~/Downloads; exclude *.pdf
  delete_file ~/Downloads/*; exclude *.pdf
  asks
merge Work and Taxes folders
  asks
  refused any
gzip all logs in Projects
  refused archive_agent
extract photos.zip to Pictures
  refused archive_agent
translate notes.txt to French
  refused document_agent
rotate all photos in Pictures
  refused image_agent
copy Pictures to OneDrive
  refused any
sync Work with my laptop
  refused any
remind me to delete Downloads tomorrow
  refused any
  asks
search the web for cats
  refused any
  asks
what's 2 + 2
  refused any
  asks
open firefox
  refused any
  asks
`;
