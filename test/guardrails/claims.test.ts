import { describe, expect, test } from "vitest";
import { announcement, claimedEffect } from "../../src/guardrails/claims.ts";

/** An answer, and the sentence of it that claims; the same sentence where only one is written. */
const claims: [answer: string, claim: string][] = [
  ["Done — the note was created", "Done — the note was created"],
  ["I have deleted notes.txt", "I have deleted notes.txt"],
  ["Saved it for you!", "Saved it for you!"],
  ["The file has been updated", "The file has been updated"],
  ["I've created the note.", "I've created the note."],
  ["I’ve created the note.", "I’ve created the note."],
  ["I deleted the file.", "I deleted the file."],
  ["I just renamed it to plan.txt.", "I just renamed it to plan.txt."],
  ["I have successfully moved both files.", "I have successfully moved both files."],
  ["I went ahead and removed the folder.", "I went ahead and removed the folder."],
  ["I was able to delete the file.", "I was able to delete the file."],
  ["Sure! I've added the reminder.", "I've added the reminder."],
  ["Sure, I've added the reminder.", "Sure, I've added the reminder."],
  ["Here you go. The note is there. I saved it as plan.txt.", "I saved it as plan.txt."],
  ["I found the note and I deleted it.", "I found the note and I deleted it."],
  ["I found the note and deleted it.", "I found the note and deleted it."],
  ["I've set a reminder for Monday.", "I've set a reminder for Monday."],
  ["I have made the changes.", "I have made the changes."],
  ["I wrote to notes.txt.", "I wrote to notes.txt."],
  ["I marked it as done.", "I marked it as done."],
  ["I have sent your message to Ann.", "I have sent your message to Ann."],
  ["We have updated your profile.", "We have updated your profile."],
  ["It has been deleted.", "It has been deleted."],
  ["The folder `work` has been removed.", "The folder `work` has been removed."],
  ['The note "plan" has now been saved.', 'The note "plan" has now been saved.'],
  ["notes.txt has been deleted.", "notes.txt has been deleted."],
  ["Your changes were saved successfully.", "Your changes were saved successfully."],
  ["The note was created.", "The note was created."],
  ["All files have been moved.", "All files have been moved."],
  ["The file is now deleted.", "The file is now deleted."],
  ["Deleted notes.txt.", "Deleted notes.txt."],
  ["Successfully created the folder.", "Successfully created the folder."],
  ["File deleted.", "File deleted."],
  ["Note created successfully!", "Note created successfully!"],
  ["**Done!** The note was saved.", "The note was saved."],
  ["Here is what I did:\n- Read the plan.", "Here is what I did:"],
  ["1. I read the note.\n2. I deleted the note.", "I deleted the note."],
  [
    "I've created a poem and saved it in poem.txt.",
    "I've created a poem and saved it in poem.txt.",
  ],
  ["I have added milk to the shopping list.", "I have added milk to the shopping list."],
  ["Your note has been saved as `plan.md`.", "Your note has been saved as `plan.md`."],
  ["Your note is saved.", "Your note is saved."],
  ["Done.", "Done."],
  ["All done!", "All done!"],
  ["It's done.", "It's done."],
];

const noClaims: string[] = [
  "Your account is disabled.",
  "Your note is saved in the folder work.",
  "The file is created when you press Save.",
  "",
  "The note says that milk is missing.",
  // not done, or nothing
  "I could not create the note.",
  "I was not able to delete the file.",
  "I have not deleted anything.",
  "I haven't saved it.",
  "Nothing was deleted.",
  "No file was created.",
  "The note was not saved.",
  "None of the files have been changed.",
  "I have deleted nothing.",
  "I failed to create the note, so it was never saved.",
  "The file has never been updated.",
  "I was unable to find the file, nothing has been removed.",
  // others, and the past
  "The file was created in 2020 by Ann.",
  "The file was created on Monday.",
  "The note was last updated on 2024-05-01.",
  "git created the folder.",
  "Git has created a new branch.",
  "Ann deleted the note yesterday.",
  "You created three notes.",
  "The note was deleted by Ann.",
  "The file has been updated by another user.",
  "I already deleted it earlier.",
  "Last time I created a note.",
  "The house was moved in 1900.",
  "The meeting has been moved to Friday.",
  "A file that was deleted cannot be read.",
  "The note that was created has three lines.",
  // conditional, future, offers
  "I can create the note.",
  "I will delete the file.",
  "I would have created it.",
  "The file would be deleted.",
  "The file will be deleted.",
  "To delete it, say yes.",
  "If I deleted it, it would be gone.",
  "Once the file has been saved, open it.",
  "After it has been deleted, it cannot be restored.",
  "Files can be moved.",
  "Should it be deleted?",
  "Has the file been updated?",
  "Do you want it deleted?",
  // quoting and headings
  "The log says: file deleted",
  "The log says: the file has been deleted.",
  'The script printed "File deleted."',
  '"The note was created."',
  "> I have deleted notes.txt",
  "```\nFile deleted.\n```",
  "According to the log, the file has been removed.",
  "Deleted files: none",
  "Created: 2020-01-05",
  "- Created by Ann",
  "- notes.txt deleted",
  "Saved notes:\n- plan\n- list",
  "Updated list:\n- milk",
  // what the answer itself holds
  "I've created a short poem for you:\n\nRoses are red.",
  "I have added the numbers: the sum is 7.",
  "I created a list of ideas below.",
  "I've updated my answer.",
  "I was moved by the story.",
  "I made a mistake.",
  "I wrote a haiku.",
  "I have read the note. It has two lines.",
  "Done. The note has two lines.",
  "I found two files.",
  "I added 3 and 4.",
  "I've added an item to the list below.",
  "I moved to Berlin in spring.",
  "Your file was last modified today.",
  "The file was modified by default settings.",
];

describe("an answer claims that something was changed", () => {
  test.each(claims)("%j", (answer, claim) => {
    expect(claimedEffect(answer)).toBe(claim);
  });
});

describe("an answer claims no change", () => {
  test.each(noClaims)("%j", (answer) => {
    expect(claimedEffect(answer)).toBe(null);
  });
});

const announcements: [answer: string, sentence: string][] = [
  ["I will now read the plan note.", "I will now read the plan note."],
  ["Let me check that file for you.", "Let me check that file for you."],
  ["I'll read the file.", "I'll read the file."],
  ["I’ll look it up.", "I’ll look it up."],
  ["Sure! Let me look into that.", "Let me look into that."],
  ["Sure, I'll check the notes.", "Sure, I'll check the notes."],
  ["Okay. One moment, please. I'll fetch it.", "I'll fetch it."],
  ["I'm going to list the notes.", "I'm going to list the notes."],
  ["I am about to delete the file.", "I am about to delete the file."],
  ["First, I need to find the note.", "First, I need to find the note."],
  ["I need to check the calendar first.", "I need to check the calendar first."],
  [
    "Let's start by opening the note. Then I will list the rest.",
    "Let's start by opening the note.",
  ],
  ["Let me search for it. Then I will update it.", "Let me search for it."],
  ["I will use the read_note tool.", "I will use the read_note tool."],
  ["I'll go ahead and create the note.", "I'll go ahead and create the note."],
  ["Let me take a look.", "Let me take a look."],
  ["Checking the notes now...", "Checking the notes now..."],
  ["I'm reading the note now. Please wait.", "I'm reading the note now."],
  ["To do this, I will open the file.", "To do this, I will open the file."],
  ["**I'll check the file.**", "**I'll check the file.**"],
  ["I will:\n1. Read the note\n2. Update it", "I will:"],
  ["I'll get started:\n- Read the note\n- Update it", "I'll get started:"],
  ["Now I will delete notes.txt.", "Now I will delete notes.txt."],
  ["Great! I shall retrieve the list.", "I shall retrieve the list."],
  ["Allow me to check.", "Allow me to check."],
  ["Of course! I'll save it right away.", "I'll save it right away."],
  ["Let me see.", "Let me see."],
  ["I'll quickly verify the name.", "I'll quickly verify the name."],
  ["We need to load the skill first.", "We need to load the skill first."],
  ["I have to run the script.", "I have to run the script."],
  ["I'll now proceed to remove it.", "I'll now proceed to remove it."],
];

const noAnnouncements: string[] = [
  "",
  "The note has two lines.",
  "I will be happy to help.",
  "I'll read the file if you tell me its name.",
  "I can read the file.",
  "I will delete it once you confirm.",
  "Let me know which file you mean.",
  "Let me explain: the sky is blue.",
  "I'll check the file. It has two lines.",
  "I read the file.",
  "I have checked the file.",
  "Let me check: the file has two lines.",
  "Shall I read the file?",
  "Should I check it? Let me check which one?",
  "Let me be clear.",
  "I will use metric units.",
  "Sure!",
  "One moment, please.",
  "Ann will read the note.",
  "You will find it in notes.txt.",
  "He said: I will read it.",
  '"I will read the note."',
  "> I will read the note.",
  "I need to know the name of the file.",
  "I'll remember that.",
  "I need your permission.",
  "I was going to read the file, but it is gone.",
  "I will not read the file.",
  "Reading is fun.",
  "Running shoes are in the list.",
  "The plan: I will read the note.",
  "I would like to read it, but I cannot.",
  "I'll update it tomorrow, as you wanted.",
  "Let me list the notes:\n- Read a book\n- Call Ann",
  "I'll list them:\n- a.txt",
  "I'll read it.\n```\ncode\n```",
  `I'll read it. ${"ok ".repeat(100)}x`,
];

describe("an answer only announces", () => {
  test.each(announcements)("%j", (answer, sentence) => {
    expect(announcement(answer)).toBe(sentence);
  });
});

describe("an answer does not only announce", () => {
  test.each(noAnnouncements)("%j", (answer) => {
    expect(announcement(answer)).toBe(null);
  });
});

describe("hostile answers", () => {
  const pieces = [
    "i have ",
    "the ",
    "the file ",
    "name ",
    '"',
    "“",
    " `",
    "'",
    " '",
    "i've just ",
    "done, ",
    ", ",
    ": ",
    ". ",
    "a.b",
    "-",
    "now ",
    "all ",
    "and ",
    "- a\n",
    "**",
  ];
  test.each(pieces)("200 kB of %j claim and announce nothing, in one go", (piece) => {
    const long = piece.repeat(Math.ceil(200_000 / piece.length));
    expect(claimedEffect(long)).toBe(null);
    expect(announcement(long)).toBe(null);
    expect(claimedEffect(`${long}\n\nI deleted the note.`)).toBe("I deleted the note.");
  });
});
