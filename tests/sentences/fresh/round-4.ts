/** Sentences as very different people type them; `rows.ts` says how to read them. */
export const round4 = `
delete the pictures in Downloads which I edited
  asks
delete PDFs I created in Downloads
  asks
  delete_file ~/Downloads; type pdf
Delete the videos I have already watched in Downloads
  asks
delete files in Downloads that I opened today
  asks
  delete_file ~/Downloads; modified_after 2026-11-15
delete one of the pdfs in Downloads
  asks
delete either a.txt or b.txt
  asks
delete all the pdfs in Downloads or move them to Archive
  asks
delete pdfs in Downloads bigger than 10 MB but smaller than 20 MB
  delete_file ~/Downloads; type pdf; size_gt 10000000; size_lt 20000000
delete pdfs in Downloads bigger than ten
  asks
delete stuff from last week in Downloads
  delete_file ~/Downloads; modified_after 2026-11-02; modified_before 2026-11-09
  asks
delete everything older than 30 days
  asks
  delete_file ~; modified_before 2026-10-16T13:00; recursive
delete everything in Downloads older than 30
  asks
delete Downloads older than March
  delete_file ~/Downloads; modified_before 2026-03-01
  asks
delete everything in Downloads from Friday to Sunday
  delete_file ~/Downloads; modified_after 2026-11-13
  delete_file ~/Downloads; modified_after 2026-11-13; modified_before 2026-11-16
  asks
delete everything in Downloads before noon
  asks
delete everything in Downloads created before yesterday
  delete_file ~/Downloads; created_before 2026-11-14
delete photos in Holiday 2026 taken on 5 July
  delete_file ~/Pictures/Holiday 2026; type image/*; taken_after 2026-07-05; taken_before 2026-07-06
delete files with the same name in Downloads
  asks
delete the biggest
  asks
delete the folder Work in Documents
  delete_file ~/Documents/Work
  asks
delete folder Invoices/2020
  delete_file ~/Documents/Invoices/2020
  asks
delete all folders in Projects
  delete_file ~/Projects; kind folder
  asks
delete all files in Projects but leave the folders
  asks
  delete_file ~/Projects/*
  delete_file ~/Projects; kind file
delete all pdfs in Downloads and all docs in Work
  asks
delete pdfs from Downloads, Desktop and Work
  asks
delete all pdfs on my computer
  delete_file ~; type pdf; recursive
  asks
delete *.jpg and *.png from Desktop
  delete_file ~/Desktop; type_has jpg,png
  asks
delete files ending in .old in Work
  delete_file ~/Documents/Work; type old
  delete_file ~/Documents/Work; name *.old
delete files beginning with tmp_ in Downloads
  delete_file ~/Downloads; name tmp_*
delete report.pdf from Downloads if it is older than a year
  asks
  delete_file ~/Downloads/report.pdf; modified_before 2025-11-15T12:00
delete report.pdf, please, it's in Downloads
  delete_file ~/Downloads/report.pdf
  asks
delete "*" in Downloads
  asks
  delete_file ~/Downloads/*; kind file
delete the shortcut on my desktop
  asks
delete .env
  delete_file ~/Projects/shop/.env
  asks
delete ../secret.txt
  asks
  delete_file ../secret.txt
delete /etc/passwd
  delete_file /etc/passwd
  asks
delete ~
  asks
delete /
  asks
delete the trash
  asks
  refused any
delete last week's screenshots
  delete_file ~/Projects/shop; type image/*; name *screenshot*; modified_after 2026-11-02; modified_before 2026-11-09
  asks
delete screenshots from the Screenshots folder that are older than 2 weeks
  delete_file ~/Pictures/Screenshots; modified_before 2026-11-01T12:00
  delete_file ~/Pictures/Screenshots; type image/*; name *screenshot*; modified_before 2026-11-01T12:00
  asks
delete almost everything in Downloads
  asks
delete all PDFs in Downloads twice
  asks
delete at most 5 pdfs in Downloads
  asks
delete the top 5 largest videos in Videos
  delete_file ~/Videos; type video/*; sort size; order desc; limit 5
delete all except the 3 newest files in Downloads
  asks
delete all pdfs in Downloads larger than report.pdf
  asks
delete everything in Downloads that is also in Archive
  asks
delete copies of report.pdf
  asks
delete files in Work nobody needs
  asks
delete both pdfs in Downloads
  asks
  delete_file ~/Downloads; type pdf
delete the two pdfs in Downloads
  asks
delete 3 files in Downloads
  asks
delete unused files in Downloads
  asks
delete unnecessary pdfs in Downloads
  asks
wipe Downloads clean
  delete_file ~/Downloads/*
  asks
clear my desktop of pdfs
  delete_file ~/Desktop; type pdf
  asks
empty Projects of log files
  delete_file ~/Projects; type log
  asks
throw everything in Downloads into the bin
  delete_file ~/Downloads/*; kind any
move the zips in Downloads to the trash
  delete_file ~/Downloads; type_has zip
please remove all traces of project X
  asks
remove Work from the list
  asks
remove spaces from the file names in Work
  asks
  rename_file ~/Documents/Work/*; destination {name_underscored}{ext}
remove write protection from notes.txt
  asks
  refused any
remove line 3 from notes.txt
  asks
  refused any
remove the background from cat.png
  refused image_agent
  asks
remove page 2 of report.pdf
  asks
  refused any
remove the red eyes from my photos
  asks
  refused any
clear the contents of notes.txt
  asks
copy the text of notes.txt to todo.txt
  asks
copy the link to report.pdf
  asks
copy 10 photos from Pictures to Desktop
  asks
copy Work to Archive and Desktop
  asks
copy all photos and videos in Downloads to Archive
  copy_file ~/Downloads; type image/*,video/*; destination ~/Archive
  asks
copy Work/plan.md next to itself as plan-2.md
  asks
  copy_file ~/Documents/Work/plan.md; destination ~/Documents/Work/plan-2.md
copy the whole Pictures folder to ~/Backup
  copy_file ~/Pictures; destination ~/Backup
copy files from Work to Archive that changed this month
  copy_file ~/Documents/Work; modified_after 2026-11-01; destination ~/Archive
copy from Work to Archive only the pdfs
  copy_file ~/Documents/Work; type pdf; destination ~/Archive
  asks
copy all PDFs in Work, replacing existing files, to Archive
  copy_file ~/Documents/Work; type pdf; on_conflict replace; destination ~/Archive
  asks
copy to desktop: report.pdf
  copy_file ~/Projects/shop/report.pdf; destination ~/Desktop
  asks
move files in Downloads into folders by type
  asks
move each photo in Pictures to a folder for its year
  asks
move photos by date
  asks
move everything in Downloads by month to Archive
  asks
move Work to Archive/2026
  move_file ~/Documents/Work; destination ~/Archive/2026
move Work out of Documents to Projects
  move_file ~/Documents/Work; destination ~/Projects
  asks
move the files in Work up to Documents
  move_file ~/Documents/Work/*; destination ~/Documents
  asks
move files not modified since 2024 from Documents to Archive
  move_file ~/Documents; modified_before 2026-11-15T12:00; destination ~/Archive
  move_file ~/Documents; modified_before 2024-01-01; destination ~/Archive
  move_file ~/Documents; modified_before 2025-01-01; destination ~/Archive
  asks
move files I haven't touched for 6 months from Desktop to Archive
  move_file ~/Desktop; modified_before 2026-05-15T12:00; destination ~/Archive
move old files from Desktop to Archive
  asks
move large files from Desktop to Archive
  asks
move all non-pdf files from Downloads to Archive
  asks
  move_file ~/Downloads; exclude *.pdf; destination ~/Archive
move only pdfs from Downloads to Work
  move_file ~/Downloads; type pdf; destination ~/Documents/Work
  asks
move just the pdfs from Downloads to Work
  move_file ~/Downloads; type pdf; destination ~/Documents/Work
  asks
move pdfs, docs and spreadsheets from Downloads to Work
  move_file ~/Downloads; type pdf,doc,spreadsheet/*; destination ~/Documents/Work
  asks
move everything except for the Work folder from Documents to Archive
  move_file ~/Documents; exclude Work; destination ~/Archive
  move_file ~/Documents/*; exclude Work; destination ~/Archive
move everything from Downloads except stuff from this week to Archive
  asks
  move_file ~/Downloads; modified_before 2026-11-09; destination ~/Archive
move all pdfs in Downloads except those from this week to Archive
  asks
  move_file ~/Downloads; type pdf; modified_before 2026-11-09; destination ~/Archive
move all files except large ones from Downloads to Archive
  asks
move notes.txt to Archiv
  asks
move notes.txt to the folder above
  asks
move notes.txt to notes
  asks
move notes.txt to /tmp
  move_file ~/Projects/shop/notes.txt; destination /tmp
  asks
move notes.txt from here to there
  asks
move my stuff off the desktop
  asks
rename photo.jpg to holiday
  rename_file ~/Projects/shop/photo.jpg; destination holiday
  rename_file ~/Projects/shop/photo.jpg; destination holiday.jpg
  asks
rename Holiday 2026 to Holiday 2025
  rename_file ~/Pictures/Holiday 2026; destination Holiday 2025
rename photos in Pictures
  asks
rename all files in Work by replacing "draft" with "final"
  asks
rename the newest pdf in Downloads to invoice.pdf
  rename_file ~/Downloads; type pdf; sort modified; order desc; limit 1; destination invoice.pdf
  asks
rename all mp3s in Music to their title
  asks
rename txt files in Work to md
  asks
  rename_file ~/Documents/Work; type txt; destination {name}.md
undo
  asks
  refused any
yes
  asks
no
  asks
do it
  asks
go ahead and delete them
  asks
delete it all now!!!
  asks
stop
  asks
cancel
  asks
  refused any
write to notes.txt
  asks
  write_file ~/Projects/shop/notes.txt; content
write notes.txt "hello"
  write_file ~/Projects/shop/notes.txt; content hello
  asks
create 5 empty files in Work
  asks
create a copy of a.txt called b.txt
  copy_file ~/Projects/shop/a.txt; destination ~/Projects/shop/b.txt
  asks
save the list of pdfs in Downloads to list.txt
  asks
save as notes.txt
  asks
  write_file ~/Projects/shop/notes.txt; content
make notes.txt empty
  asks
  write_file ~/Projects/shop/notes.txt; content
`;
