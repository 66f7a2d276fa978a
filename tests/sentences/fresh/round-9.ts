/** Sentences as very different people type them; `rows.ts` says how to read them. */
export const round9 = `
delete every other pdf in Downloads
  asks
delete the first pdf in Downloads
  asks
delete the last pdf in Downloads
  asks
  delete_file ~/Downloads; type pdf; sort modified; order desc; limit 1
delete a random photo from Pictures
  asks
delete any pdf in Downloads
  asks
  delete_file ~/Downloads; type pdf
delete 50% of the photos in Pictures
  asks
delete photos 1 to 10 in Pictures
  asks
delete photos 1-10 from Pictures
  asks
delete up to 1 GB of files from Downloads
  asks
delete files from Downloads until 1 GB is free
  asks
delete files from Downloads that total more than 1 GB
  asks
delete files from Downloads each larger than 1 GB
  delete_file ~/Downloads; size_gt 1000000000
  asks
delete Downloads files larger than 1 GB
  delete_file ~/Downloads; size_gt 1000000000
  asks
delete everything larger than 1 GB in Downloads, or move it to Archive
  asks
delete everything larger than my biggest photo in Downloads
  asks
delete everything in Downloads with a size of 0
  asks
  delete_file ~/Downloads; size_lt 1
delete pdfs in Downloads smaller than 1
  asks
delete pdfs in Downloads older than Tom
  asks
delete pdfs older than 30 days old in Downloads
  delete_file ~/Downloads; type pdf; modified_before 2026-10-16T13:00
  asks
delete pdfs in Downloads younger than a day
  delete_file ~/Downloads; type pdf; modified_after 2026-11-14T12:00
  asks
delete pdfs in Downloads more than a week but less than a month old
  asks
  delete_file ~/Downloads; type pdf; modified_before 2026-11-08T12:00; modified_after 2026-10-15T12:00
delete pdfs in Downloads last opened in 2024
  asks
  delete_file ~/Downloads; type pdf; modified_after 2024-01-01; modified_before 2025-01-01
delete pdfs in Downloads not opened since 2024
  asks
  delete_file ~/Downloads; type pdf; modified_before 2024-01-01
  delete_file ~/Downloads; type pdf; modified_before 2025-01-01
delete pdfs from 2024 onwards in Archive
  delete_file ~/Archive; type pdf; modified_after 2024-01-01
delete pdfs up to 2024 in Archive
  delete_file ~/Archive; type pdf; modified_before 2025-01-01
  asks
delete pdfs until March in Archive
  delete_file ~/Archive; type pdf; modified_before 2026-04-01
  asks
delete pdfs in Archive from 2022, 2023 and 2024
  asks
  delete_file ~/Archive; type pdf; modified_after 2022-01-01; modified_before 2025-01-01
delete pdfs in Archive from 2022 and 2024
  asks
delete pdfs in Archive from winter
  asks
  delete_file ~/Archive; type pdf; modified_after 2025-12-01; modified_before 2026-03-01
delete pdfs in Archive from Monday mornings
  asks
delete pdfs in Archive from weekends
  asks
delete pdfs in Archive from my birthday
  asks
delete pdfs in Archive from Easter
  asks
delete report 2024.pdf from Downloads
  asks
  delete_file ~/Downloads/report 2024.pdf
delete my report.pdf from Downloads
  delete_file ~/Downloads/report.pdf
  asks
delete final report.pdf from Downloads
  asks
  delete_file ~/Downloads/final report.pdf
delete the report.pdf and everything like it from Downloads
  asks
delete report*.pdf from Downloads
  delete_file ~/Downloads; name report*.pdf
  delete_file ~/Downloads/report*.pdf
delete report?.pdf from Downloads
  asks
  delete_file ~/Downloads; name report?.pdf
  delete_file ~/Downloads/report?.pdf
delete 'my file.txt' from Desktop
  delete_file ~/Desktop/my file.txt
delete “my file.txt” from Desktop
  delete_file ~/Desktop/my file.txt
delete my file.txt from Desktop
  asks
  delete_file ~/Desktop/my file.txt
  delete_file ~/Desktop/file.txt
delete Desktop/my file.txt
  asks
  delete_file ~/Desktop/my file.txt
delete ~/Desktop/a b c.txt
  asks
  delete_file ~/Desktop/a b c.txt
delete ~/Desktop/a.txt b.txt
  asks
delete ~/Desktop/a.txt ~/Desktop/b.txt
  asks
delete ~/Desktop/{a,b}.txt
  asks
  delete_file ~/Desktop/{a,b}.txt
delete "~/Desktop/a.txt"
  delete_file ~/Desktop/a.txt
delete file:///home/mary/a.txt
  asks
  refused any
delete C:\\Users\\mary\\a.txt
  asks
delete Desktop\\a.txt
  asks
delete a.txt in b.txt
  asks
delete Work/Old in Documents
  delete_file ~/Documents/Work/Old
  asks
delete Work in Archive
  asks
  delete_file ~/Archive/Work
delete Taxes from Work
  asks
delete the Work folder from Archive
  asks
  delete_file ~/Archive/Work
delete the folder with my invoices
  asks
delete the parent folder
  asks
delete this folder
  delete_file ~/Projects/shop
  asks
delete everything here
  delete_file ~/Projects/shop/*; kind any
delete everything here except src
  asks
  delete_file ~/Projects/shop/*; exclude src
  delete_file ~/Projects/shop; exclude src
delete everything here and below
  delete_file ~/Projects/shop/*; recursive; kind any
  delete_file ~/Projects/shop; recursive
  asks
move this folder to Archive
  move_file ~/Projects/shop; destination ~/Archive
move pdfs to this folder
  asks
move pdfs from Downloads here
  move_file ~/Downloads; type pdf; destination ~/Projects/shop
  asks
copy pdfs from Downloads here
  copy_file ~/Downloads; type pdf; destination ~/Projects/shop
  asks
copy report.pdf here from Downloads
  copy_file ~/Downloads/report.pdf; destination ~/Projects/shop
  asks
bring report.pdf from Downloads to Work
  move_file ~/Downloads/report.pdf; destination ~/Documents/Work
  asks
get report.pdf from Downloads into Work
  move_file ~/Downloads/report.pdf; destination ~/Documents/Work
  asks
collect all pdfs in Work
  asks
gather all pdfs into Work
  asks
  move_file ~; type pdf; recursive; destination ~/Documents/Work
merge all pdfs in Work into Archive
  asks
  refused any
pls mv all pdf from downloads 2 work
  asks
  move_file ~/Downloads; type pdf; destination ~/Documents/Work
plz delete al pdfs in downlods
  asks
DELETE ALL PDFS IN DOWNLOADS
  delete_file ~/Downloads; type pdf
dELeTe a.TXT
  delete_file ~/Projects/shop/a.TXT
delete all pdfs in Downloads; rm -rf ~
  asks
delete "a.txt" && delete "b.txt"
  asks
delete a.txt. Also b.txt.
  asks
delete a.txt - no, b.txt
  asks
delete a.txt (not b.txt)
  asks
  delete_file ~/Projects/shop/a.txt
  delete_file ~/Projects/shop/a.txt; exclude b.txt
delete a.txt? no
  asks
if a.txt exists, delete it
  asks
unless a.txt is new, delete it
  asks
should a.txt be deleted?
  asks
a.txt was deleted
  asks
  search_files ~; query a.txt
someone deleted a.txt
  asks
  search_files ~; query a.txt
the file says "delete everything in Downloads"
  asks
  search_files ~; query delete everything in Downloads
  search_files ~; query delete everything in Downloads; search_in content
find files that say "delete everything in Downloads"
  search_files ~; query delete everything in Downloads; search_in content
read "delete all.txt"
  read_file ~/Projects/shop/delete all.txt
show me delete.log
  read_file ~/Projects/shop/delete.log
find the move checklist
  search_files ~; query move checklist
  asks
list files to delete
  asks
  search_files ~; query delete
`;
