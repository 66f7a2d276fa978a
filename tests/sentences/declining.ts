/** Sentences that are not acted on: too little is said, or it is somebody else's work. */
export const declining = `
Compress all the images in this folder
  refused archive_agent
Create a file
  asks
Move my invoices to Taxes
  asks
Move everything
  asks
Move the report
  asks
Move PDFs to somewhere safe
  asks
Move all PDFs in Dowloads to Archive
  asks
Move files from Downloads
  asks
Make a copy of notes.md in Documents
  asks
Delete old files
  asks
Delete the old invoices from Ahmed
  asks
Delete everything
  asks
Delete all files on my computer
  asks
Delete my stuff
  asks
Delete some PDFs
  asks
Delete files I don't need
  asks
Don't delete anything
  asks
Do not move my files
  asks
Never delete photos in Pictures
  asks
Please don't remove the PDFs
  asks
Delete Downloads
  asks
Delete PDFs except the newest
  asks
Copy photos to Archive and delete the originals
  asks
Move PDFs to Archive then delete the zip files
  asks
Rename the files
  asks
Rename report.pdf
  asks
Zip all my photos
  refused archive_agent
Unzip archive.zip
  refused archive_agent
Extract the archive in Downloads
  refused archive_agent
Archive everything older than a year
  asks
Summarise the report
  refused document_agent
What does the PDF say?
  refused document_agent
Convert report.docx to PDF
  refused document_agent
OCR the scan
  refused document_agent
Translate notes.txt
  refused document_agent
Resize all images in Pictures
  refused image_agent
Crop the photo
  refused image_agent
Rotate the pictures in Holiday 2026
  refused image_agent
Upload my photos to Google Drive
  refused nobody
Move my files to Dropbox
  refused nobody
Copy everything from the network drive
  refused nobody
Find files on my S3 bucket
  refused nobody
Watch my Downloads folder
  refused nobody
Keep Documents and Archive in sync
  refused nobody
Sync my photos
  refused nobody
Email report.pdf to Ahmed
  refused nobody
Send the invoice to Mary
  refused nobody
Organise my Downloads
  asks
Tidy up my desktop
  asks
Undo the last move
  asks
Copy notes.md to Desktop and Archive
  asks
Remove old downloads
  asks
delete anything in Downloads that isn't a PDF
  delete_file ~/Downloads; exclude *.pdf
Delete Ahmed's invoice
  asks
Get rid of everything
  asks
You must not delete my photos
  asks
I never said delete the photos
  asks
Delete the PDFs, but don't touch the ones in Work
  asks
Can you unzip the files in Downloads?
  refused archive_agent
tar up Projects
  refused archive_agent
Make a zip of my Documents
  refused archive_agent
Give me a summary of contract.docx
  refused document_agent
Turn this PDF into a Word document
  refused document_agent
Make the photos smaller
  refused image_agent
Back up my photos to iCloud
  refused nobody
Notify me when a new file appears in Downloads
  refused nobody
Every week move old downloads to Archive
  refused nobody
Play some music
  refused nobody
Print report.pdf
  refused nobody
Find files on the NAS
  refused nobody
Delete all files in downloads and documents
  asks
Move PDFs from Downloads and Desktop to Archive
  asks
Delete PDFs older than 30 days or larger than 1 GB
  asks
Delete PDFs and everything older than a year in Downloads
  asks
Delete these files
  asks
Move it to Archive
  asks
Move them from Downloads to Archive
  asks
Move downloads to Archive
  asks
Delete the contents of notes.txt
  asks
Delete one of the PDFs in Downloads
  asks
Delete 5 PDFs in Downloads
  asks
Delete the first 3 files in Downloads
  asks
Delete photos of cats
  asks
Delete files if they are empty in Downloads
  asks
Don't forget to delete the PDFs in Downloads
  asks
Instead of deleting, move PDFs to Archive
  asks
Should I delete the PDFs in Downloads?
  asks
Delete row 5 from data.csv
  asks
Move photos from my Paris holiday to Archive
  asks
Copy PDFs to Desktop and Archive
  asks
Remove files called "old" from Documents
  asks
Delete everything in Foo
  asks
Delete everything in the Foo folder
  asks
Move PDFs in the Foo folder to Archive
  asks
Delete files in Downloads older than 03/04/2025
  asks
Rename notes
  asks
Convert all PNG images to JPG
  refused image_agent
What does contract.docx say?
  refused document_agent
Extract text from scan.pdf
  refused document_agent
Make thumbnails of my photos
  refused image_agent
Monitor the Downloads folder for new files
  refused nobody
Download the latest report
  refused nobody
Share my photos with Mary
  refused nobody
Encrypt my documents
  refused nobody
Run setup.exe
  refused nobody
Create a folder called Receipts
  asks
Empty the trash
  asks
Please
  asks
???
  asks
Archive the PDFs in Downloads
  asks
Put report.pdf and notes.md into Archive
  asks
Could everything in Downloads that's over a year old go to Archive?
  asks
Send old PDFs to the trash
  asks
duplicate notes.md
  asks
rm -rf Downloads
  asks
Remove empty folders in Projects
  asks
Delete photos that are blurry
  asks
Delete everything from my Downloads folder that I don't want
  asks
Delete the biggest file
  asks
Please delete nothing
  asks
Can you not delete my photos
  asks
Move PDFs to Archive and rename them by date
  asks
overwrite notes.txt with draft.txt
  asks
replace "a" with "b" in notes.txt
  asks
delete large files in Downloads
  asks
Compress the videos
  refused archive_agent
Zip up the Work folder and put it on the desktop
  refused archive_agent
Put all my photos in a zip file
  refused archive_agent
Make a PDF out of the photos
  refused document_agent
Tell me what's in contract.pdf
  refused document_agent
Summarize all documents in Work
  refused document_agent
Upload report.pdf to the cloud
  refused nobody
Copy my photos to the NAS
  refused nobody
Alert me if Downloads gets bigger than 10 GB
  refused nobody
Clean up duplicates in Downloads
  asks
Sort my downloads by type into folders
  asks
hello
  asks
What can you do?
  asks
Move the invoices from last month to Taxes
  asks
Delete notes.md and todo.txt
  asks
Delete the file I created yesterday
  asks
Delete all the music I don't listen to
  asks
Delete a random file
  asks
Don't move anything to Archive
  asks
Please do not rename my photos
  asks
I don't want you to copy the PDFs
  asks
Do not delete PDFs in Downloads, move them to Archive
  asks
Extract photos.zip
  refused archive_agent
Please create a zip archive of Documents
  refused archive_agent
Convert my videos to mp4
  refused document_agent
Translate the letter into French
  refused document_agent
Rotate IMG_1001.JPG by 90 degrees
  refused image_agent
Sync Documents with Google Drive
  refused nobody
Open my Dropbox
  refused nobody
Email the PDFs in Downloads to my accountant
  refused nobody
Move files older than 30 days to Archive every Friday
  refused nobody
Move PDFs to Archiv
  asks
Delete everything in Dcouments
  asks
Move the photos to the folder for 2026
  asks
Delete Old
  asks
Delete files named IMG_0001.jpg through IMG_0100.jpg
  asks
Delete everything in Downloads but the PDFs
  asks
Delete half the photos
  asks
Delete every second photo
  asks
Delete the PDFs with invoices
  asks
Delete PDFs about taxes
  asks
Delete PDFs containing "draft" in Documents
  asks
Delete all PDFs that mention Ahmed
  asks
Delete the files Mary sent me
  asks
Remove Ahmed from the list
  asks
Delete that
  asks
Delete it all
  asks
Delete all
  asks
Delete all of it in Downloads
  asks
Remove duplicates but keep the newest
  asks
Delete older versions of report.pdf
  asks
Delete all copies of report.pdf
  asks
Delete my account
  asks
Delete the trash
  asks
Delete /
  asks
Delete ~
  asks
Delete ~/
  asks
Delete everything under /
  asks
Delete *
  asks
Delete ~/Downloads
  asks
Delete /etc/passwd
  asks
Delete everything in my home folder
  asks
Delete all files everywhere
  asks
Delete the Downloads and Desktop folders
  asks
Move my home folder to Archive
  asks
Move everything from Archive to Archive
  asks
Move PDFs from Downloads to Downloads
  asks
Move report.pdf out of Downloads
  asks
Move report.pdf from Downloads to Documents and Desktop
  asks
Move PDFs up one level
  asks
Move all files in Downloads by type
  asks
Move large files from Downloads to Archive
  asks
Move images older than 2 years in Pictures to an external drive
  asks
Copy everything to Archive
  asks
Copy Downloads
  asks
Copy the photos from Downloads twice to Archive
  asks
Copy notes.md
  asks
Replace notes.md with todo.md
  asks
Rename everything
  asks
Rename all photos in Holiday 2026
  asks
Rename photos in Holiday 2026 to Beach
  asks
Rename a.txt b.txt
  asks
Rename the PDFs in Downloads by their title
  asks
Rename all files in Work by adding the date in front
  asks
Create a file called notes.txt in Documents and delete todo.txt
  asks
Write everything down
  asks
Write "x" to a.txt and b.txt
  asks
Save
  asks
I don't think we should delete the PDFs in Downloads
  asks
Nobody should delete PDFs in Downloads
  asks
Why did you delete the PDFs in Downloads?
  asks
How do I delete files?
  asks
Who deleted my PDFs?
  asks
Have you deleted the PDFs in Downloads?
  asks
Ahmed told me to delete all PDFs in Downloads
  asks
Is it safe to delete the PDFs in Downloads?
  asks
Please never ever touch or delete PDFs in Downloads
  asks
Delete PDFs in Downloads. Actually don't.
  asks
Delete PDFs in Downloads tomorrow
  asks
Delete PDFs in Downloads after copying them to Archive
  asks
Delete PDFs in Downloads only if they are in Archive too
  asks
Delete PDFs in Downloads or Desktop
  asks
Cancel deleting PDFs in Downloads
  asks
`;
