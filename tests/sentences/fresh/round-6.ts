/** Sentences as very different people type them; `rows.ts` says how to read them. */
export const round6 = `
delete the pdfs in Downloads that start with invoice
  delete_file ~/Downloads; type pdf; name invoice*
  asks
delete everything in the Work subfolder Old
  asks
  delete_file ~/Documents/Work/Old/*
delete everything under Projects/shop/build
  delete_file ~/Projects/shop/build/*; kind any
  asks
delete Projects/shop/build
  delete_file ~/Projects/shop/build
  asks
delete all documents in Work written by Tom
  asks
delete photos from Anna's birthday
  asks
delete the invoices
  asks
delete invoices in Downloads
  asks
  delete_file ~/Downloads; name *invoice*
  delete_file ~/Downloads; name *invoices*
delete pdfs except invoices in Downloads
  asks
delete all pdfs in Downloads but not invoices
  asks
delete pdfs in Work that aren't invoices
  asks
delete everything in Downloads except "keep me.txt" and notes.md
  delete_file ~/Downloads; exclude keep me.txt,notes.md
  delete_file ~/Downloads/*; exclude keep me.txt,notes.md
delete everything in Downloads except pdfs and images
  delete_file ~/Downloads; exclude_has *.pdf,*.jpg,*.cr2
  delete_file ~/Downloads/*; exclude_has *.pdf,*.jpg,*.cr2
  asks
delete everything in Downloads other than files from today
  asks
  delete_file ~/Downloads; modified_before 2026-11-15
delete everything in Downloads not from this year
  asks
  delete_file ~/Downloads; modified_before 2026-01-01
delete pdfs not in Work
  asks
  delete_file ~/Projects/shop; type pdf; exclude Work
delete pdfs that are not larger than 1MB in Downloads
  asks
  delete_file ~/Downloads; type pdf; size_lt 1000001
delete files no bigger than 5 KB in Downloads
  asks
  delete_file ~/Downloads; size_lt 5001
delete files in Downloads that aren't older than a year
  asks
  delete_file ~/Downloads; modified_after 2025-11-15T12:00
delete photos not taken in 2026 from Pictures
  asks
  delete_file ~/Pictures; type image/*; taken_before 2026-01-01
delete files from Downloads except from last week
  asks
delete everything in Downloads, well, except the zips
  asks
  delete_file ~/Downloads; exclude_has *.zip
  delete_file ~/Downloads/*; exclude_has *.zip
delete everything in Downloads older than 30 days or larger than 1 GB
  asks
delete everything in Downloads older than 30 days unless it's a pdf
  asks
  delete_file ~/Downloads; modified_before 2026-10-16T13:00; exclude *.pdf
delete files in Downloads older than 30 days, but only if they are bigger than 100 MB
  asks
  delete_file ~/Downloads; modified_before 2026-10-16T13:00; size_gt 100000000
delete only the smallest 3 files in Work
  delete_file ~/Documents/Work/*; sort size; order asc; limit 3; kind file
  asks
delete the rest
  asks
delete pdfs in every folder
  asks
  delete_file ~; type pdf; recursive
delete all pdfs in all subfolders of Work
  asks
  delete_file ~/Documents/Work; type pdf; recursive
delete Work's pdfs
  asks
  delete_file ~/Documents/Work; type pdf
delete the folder called "Old stuff"
  delete_file ~/Old stuff
  delete_file ~/Projects/shop/Old stuff
  asks
delete the pdf called report
  asks
  delete_file ~/Projects/shop/report.pdf
delete report
  asks
delete "report"
  asks
  delete_file ~/Projects/shop/report
delete report.pdf from everywhere
  delete_file ~; name report.pdf; recursive
  asks
delete report.pdf in Downloads and its subfolders
  delete_file ~/Downloads; name report.pdf; recursive
  asks
delete everything downloaded before October from Downloads
  delete_file ~/Downloads; modified_before 2026-10-01
delete everything I downloaded
  asks
  delete_file ~/Downloads/*
  delete_file ~/Downloads
delete everything I downloaded from example.com
  asks
delete what I downloaded yesterday
  delete_file ~/Downloads; modified_after 2026-11-14; modified_before 2026-11-15
  asks
delete files older than last week in Downloads
  delete_file ~/Downloads; modified_before 2026-11-02
  asks
delete files from before last month in Downloads
  delete_file ~/Downloads; modified_before 2026-10-01
delete files from 3/4/2025 in Downloads
  asks
delete files from the 31st of February in Downloads
  asks
delete files in Downloads from next week
  asks
delete files in Downloads from tomorrow
  asks
delete files of 2023 in Archive
  delete_file ~/Archive; modified_after 2023-01-01; modified_before 2024-01-01
  asks
delete the 2023 files in Archive
  asks
  delete_file ~/Archive; modified_after 2023-01-01; modified_before 2024-01-01
delete 2023 in Archive
  asks
delete May photos in Pictures
  asks
  delete_file ~/Pictures; type image/*; modified_after 2026-05-01; modified_before 2026-06-01
  delete_file ~/Pictures; type image/*; taken_after 2026-05-01; taken_before 2026-06-01
delete photos of May in Pictures
  asks
move IMG_1.jpg through IMG_9.jpg to Archive
  asks
move IMG_*.jpg from Desktop to Pictures
  move_file ~/Desktop; name IMG_*.jpg; destination ~/Pictures
  move_file ~/Desktop/IMG_*.jpg; destination ~/Pictures
move a.txt, b.txt to Archive
  asks
move a.txt to Archive as b.txt
  asks
  move_file ~/Projects/shop/a.txt; destination ~/Archive/b.txt
move a.txt to b.txt
  asks
  move_file ~/Projects/shop/a.txt; destination ~/Projects/shop/b.txt
move a.txt to Archive/b.txt
  move_file ~/Projects/shop/a.txt; destination ~/Archive/b.txt
move Downloads to Archive
  asks
move files from Downloads
  asks
move to Archive
  asks
move pdfs from Downloads to Archive and photos to Pictures
  asks
move pdfs from Downloads to Archive, then delete Downloads
  asks
move pdfs from Downloads to Archive or Documents
  asks
move pdfs from Downloads to Work or something
  asks
move pdfs from Downloads to somewhere safe
  asks
move pdfs from Downloads to a better place
  asks
move the pdfs I need from Downloads to Work
  asks
move pdfs from Downloads to Work, if there are any
  asks
  move_file ~/Downloads; type pdf; destination ~/Documents/Work
move pdfs from Downloads to Work tomorrow
  asks
  refused any
move pdfs from Downloads to Work again
  asks
  move_file ~/Downloads; type pdf; destination ~/Documents/Work
move pdfs from Downloads to Work one by one
  asks
  move_file ~/Downloads; type pdf; destination ~/Documents/Work
move pdfs from Tom in Downloads to Work
  asks
move large pdfs from Downloads to Work
  asks
move pdfs about taxes from Downloads to Taxes
  asks
move tax pdfs from Downloads to Taxes
  asks
move photos from Holiday to Archive
  move_file ~/Pictures/Holiday 2026; type image/*; destination ~/Archive
  asks
move photos from my phone to Pictures
  asks
move photos from the USB stick to Pictures
  asks
  refused any
move downloads to documents
  asks
copy the pdf from Downloads to Work
  asks
copy Work and Taxes to Archive
  asks
copy all to Archive
  asks
copy this to Archive
  asks
copy everything from here to Archive
  copy_file ~/Projects/shop/*; destination ~/Archive; kind any
copy all python files from here to Archive with subfolders
  copy_file ~/Projects/shop; type py; recursive; destination ~/Archive
  asks
copy Pictures without Screenshots to Archive
  copy_file ~/Pictures; exclude *screenshot*; destination ~/Archive
  copy_file ~/Pictures/*; exclude *screenshot*; destination ~/Archive
  copy_file ~/Pictures; exclude *screenshot*; destination ~/Archive
  asks
copy ~/a to ~/b
  copy_file ~/a; destination ~/b
copy the newest 2 files from Downloads and Desktop to Archive
  asks
rename IMG_1.jpg IMG_2.jpg
  asks
  rename_file ~/Projects/shop/IMG_1.jpg; destination IMG_2.jpg
rename all
  asks
rename everything in Work to uppercase
  rename_file ~/Documents/Work/*; destination {name_upper}{ext}; kind any
rename a.txt to a.txt
  asks
  rename_file ~/Projects/shop/a.txt; destination a.txt
rename a.txt to ..
  asks
rename all files in Work to draft and number them
  rename_file ~/Documents/Work/*; destination draft-{n}{ext}; kind file
rename only the pdfs in Work to lowercase
  rename_file ~/Documents/Work; type pdf; destination {name_lower}{ext}
  asks
rename photos in Pictures older than a year by date taken
  rename_file ~/Pictures; type image/*; modified_before 2025-11-15T12:00; destination {taken}{ext}
rename the folder Taxes as Tax
  rename_file ~/Documents/Taxes; destination Tax
rename photo.jpg back to its old name
  asks
prefix all files in Taxes with 2026_
  rename_file ~/Documents/Taxes/*; destination 2026_{name}{ext}; kind file
write hello to greeting.txt
  write_file ~/Projects/shop/greeting.txt; content hello
  asks
write "x" into every file in Work
  asks
write "x" to Work
  asks
create a file
  asks
create a.txt and b.txt
  asks
create a file called ../x.txt with "hi"
  asks
put "hi" at the end of notes.txt
  asks
put "hi" into notes.txt
  write_file ~/Projects/shop/notes.txt; content hi
  asks
`;
