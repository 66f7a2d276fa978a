/** Sentences as very different people type them; `rows.ts` says how to read them. */
export const round7 = `
delete music videos in Downloads
  delete_file ~/Downloads; type video/*
  asks
delete zip archives in Downloads
  delete_file ~/Downloads; type zip
  delete_file ~/Downloads; type_has zip
delete pdf documents from Desktop
  delete_file ~/Desktop; type pdf
delete video thumbnails in Pictures
  asks
delete photo albums in Pictures
  asks
delete files in Downloads from Documents
  asks
delete pdfs Downloads
  delete_file ~/Downloads; type pdf
  asks
delete files in Downloads from the last 2 weeks of October
  asks
  delete_file ~/Downloads; modified_after 2026-10-18; modified_before 2026-11-01
delete files in Downloads from 2 to 5 days ago
  asks
delete files in Downloads from about a week ago
  asks
  delete_file ~/Downloads; modified_after 2026-11-08; modified_before 2026-11-09
delete files in Archive created before 2024 and modified after 2025
  asks
delete photos in Pictures taken before 2020 and changed before 2021
  asks
delete files created or modified in 2024 in Archive
  asks
delete 10MB files in Downloads
  asks
delete files of about 10 MB in Downloads
  asks
delete the largest and oldest file in Downloads
  asks
delete the oldest pdf and the newest video in Downloads
  asks
delete the 5 largest of the 10 oldest files in Downloads
  asks
delete all but 5 pdfs in Downloads
  asks
delete files named a.txt or b.txt in Work
  asks
delete files called "x" or "y" in Work
  asks
delete files with "draft" and "old" in the name in Work
  asks
delete files without "draft" in the name in Work
  asks
  delete_file ~/Documents/Work; exclude *draft*
delete files whose name doesn't contain draft in Work
  asks
  delete_file ~/Documents/Work; exclude *draft*
delete files not called draft.txt in Work
  asks
  delete_file ~/Documents/Work; exclude draft.txt
  delete_file ~/Documents/Work/*; exclude draft.txt
delete files not ending in .txt in Work
  asks
  delete_file ~/Documents/Work; exclude *.txt
delete files that don't start with IMG in Pictures
  asks
  delete_file ~/Pictures; exclude IMG*
delete non-empty files in Work
  asks
delete files that are not empty in Work
  asks
  delete_file ~/Documents/Work; size_gt 0
delete visible files in Projects
  asks
  delete_file ~/Projects/*
delete everything in Downloads without asking
  asks
  delete_file ~/Downloads/*
delete everything in Downloads except hidden files
  asks
  delete_file ~/Downloads/*; kind any
move pdfs from Downloads to Documents, not Work
  asks
  move_file ~/Downloads; type pdf; destination ~/Documents
move pdfs from Downloads to Archive instead of Documents
  asks
  move_file ~/Downloads; type pdf; destination ~/Archive
move pdfs from Downloads to the same folder as report.pdf
  asks
move pdfs from Downloads into Archive/2026/November
  move_file ~/Downloads; type pdf; destination ~/Archive/2026/November
copy pdfs to Archive from Downloads
  copy_file ~/Downloads; type pdf; destination ~/Archive
move pdfs in Downloads to Archive but leave a copy
  asks
delete pdfs directly in Documents
  delete_file ~/Documents; type pdf
  delete_file ~/Documents; type pdf; recursive no
  asks
delete pdfs in Documents but not in subfolders
  delete_file ~/Documents; type pdf
  delete_file ~/Documents; type pdf; recursive no
  asks
delete folders older than a year in Archive
  delete_file ~/Archive; kind folder; modified_before 2025-11-15T12:00
  asks
delete my downloads folder's pdfs
  delete_file ~/Downloads; type pdf
  asks
delete photos and their duplicates in Pictures
  asks
delete duplicates except the oldest in Pictures
  asks
delete duplicates of report.pdf in Downloads
  asks
delete the original photos in Pictures
  asks
delete cached images in Projects
  asks
delete big videos from Videos
  asks
delete long videos from Videos
  asks
delete short clips from Videos
  asks
delete bad photos from Pictures
  asks
delete similar photos from Pictures
  asks
delete corrupted pdfs from Downloads
  asks
delete unread pdfs from Downloads
  asks
delete read-only files from Work
  asks
delete private photos from Pictures
  asks
delete black and white photos from Pictures
  asks
delete landscape photos from Pictures
  asks
delete photos with people from Pictures
  asks
delete photos taken in Paris from Pictures
  asks
delete photos taken with my Canon from Pictures
  asks
delete photos without dates from Pictures
  asks
delete songs by Queen from Music
  asks
delete songs from the eighties from Music
  asks
delete emails from Downloads
  asks
  delete_file ~/Downloads; type eml
delete the pdfs in Downloads I printed
  asks
delete the pdfs in Downloads that Tom made
  asks
delete the pdfs in Downloads that were sent
  asks
delete the pdfs in Downloads that are open
  asks
delete the pdfs in Downloads that are left
  asks
  delete_file ~/Downloads; type pdf
delete the pdfs in Downloads that I do not have in Work
  asks
delete the pdfs in Downloads that are there twice
  asks
delete the pdfs in Downloads with more than 10 pages
  asks
delete the pdfs in Downloads with errors
  asks
delete pdfs in Downloads at midnight
  asks
  refused any
delete pdfs in Downloads in an hour
  asks
  refused any
delete pdfs in Downloads when I log out
  asks
  refused any
delete pdfs in Downloads after reading them
  asks
delete pdfs in Downloads before Friday
  asks
  delete_file ~/Downloads; type pdf; modified_before 2026-11-13
delete pdfs in Downloads by Friday
  asks
delete pdfs in Downloads on Friday
  asks
  delete_file ~/Downloads; type pdf; modified_after 2026-11-13; modified_before 2026-11-14
delete pdfs in Downloads from Friday
  delete_file ~/Downloads; type pdf; modified_after 2026-11-13; modified_before 2026-11-14
  asks
delete pdfs in Downloads from last Friday's meeting
  asks
delete pdfs in Downloads from the May meeting
  asks
delete pdfs in Downloads from this folder
  asks
delete pdfs here
  delete_file ~/Projects/shop; type pdf
delete pdfs there
  asks
delete pdfs in my other folder
  asks
delete pdfs in both folders
  asks
delete pdfs in the biggest folder
  asks
delete pdfs in a folder
  asks
delete pdfs in Work or wherever they are
  asks
delete pdfs in Works
  asks
delete pdfs in Invoice
  asks
delete pdfs in work
  delete_file ~/Documents/Work; type pdf
delete pdfs for work
  asks
delete pdfs of work
  asks
  delete_file ~/Documents/Work; type pdf
delete work pdfs
  asks
move work pdfs to Archive
  asks
move music to Archive
  asks
  move_file ~; type audio/*; recursive; destination ~/Archive
  move_file ~/Music; destination ~/Archive
move the music folder's mp3s to Archive
  move_file ~/Music; type mp3; destination ~/Archive
  asks
rename files in Work with number 5
  asks
rename report.pdf in Downloads and Work to x.pdf
  asks
rename all pdfs in Work to lowercase except README.pdf
  rename_file ~/Documents/Work; type pdf; exclude README.pdf; destination {name_lower}{ext}
rename photos in Pictures by date and place
  asks
rename photos in Pictures to date_name
  asks
rename photos in Pictures by size
  asks
rename files in Downloads from A to Z
  asks
copy files in Work newer than those in Archive to Archive
  asks
copy missing files from Work to Archive
  asks
copy half a gigabyte of photos from Pictures to Archive
  asks
copy random photos from Pictures to Desktop
  asks
copy Work to Archive every night
  refused any
copy Work to Archive, but zipped
  asks
  refused archive_agent
copy Work to Archive as work-backup
  asks
  copy_file ~/Documents/Work; destination ~/Archive/work-backup
`;
