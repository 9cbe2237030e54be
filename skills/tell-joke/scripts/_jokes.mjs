/** The jokes that tell_joke knows, by kind. All were written for this skill. A joke's number never changes: add at the end. */
export const jokes = {
  dad: [
    "I started a diary for our garden hose. So far it is one long story with a twist.",
    "The kids wanted a bedtime story about our stairs. It took several steps, but the landing was good.",
    "I gave our toaster the day off. It still popped in.",
    "Our wheelbarrow is the kindest thing in the shed. Everyone pushes it around, and still it carries on.",
    "I named our compost heap Paperwork. Now, whenever anyone asks, I am completely on top of it.",
    "My daughter told me to put the cheese back in the fridge. Too late: it had already gone off.",
  ],
  pun: [
    "The beekeeper makes a fine programmer: every one of his bugs has a job.",
    "The sailor took up knitting and was fast from the start: twelve knots an hour.",
    "The tailor won in court, because his argument had no loose threads.",
    "The geologist's stories never get old, though some are a little shale.",
    "The candle maker wrote a novel: a bright start, but the ending was wick.",
    "The baker keeps all contracts next to the oven, in a folder for dough-cuments.",
  ],
  "knock-knock": [
    "Knock, knock.\nWho's there?\nSyntax.\nSyntax who?\nSyntax went up, I cannot afford a doorbell.",
    "Knock, knock.\nWho's there?\nParsley.\nParsley who?\nParsley open is not open. Push the door a bit more!",
    "Knock, knock.\nWho's there?\nPylon.\nPylon who?\nPylon the blankets, I have walked here through the snow.",
    "Knock, knock.\nWho's there?\nMarina.\nMarina who?\nMarina-ted out here in the rain for an hour. Is the oven on?",
    "Knock, knock.\nWho's there?\nCymbal.\nCymbal who?\nCymbal as that: I knock, you open.",
    "Knock, knock.\nWho's there?\nBasil.\nBasil who?\nBasil-y, I forgot my key again.",
  ],
  "one-liner": [
    "My plants and I have an agreement: I forget the water, and they forget to grow.",
    "I cleaned my desk today and met three deadlines, all of them from last month.",
    "My memory is excellent: I can name every place where I did not leave my keys.",
    "I keep my to-do list short by writing it on very small paper.",
    "The meeting could have been an e-mail, and the e-mail could have been a nod.",
    "My alarm clock and I disagree about mornings, and it is always the one to raise its voice.",
  ],
  riddle: [
    "I stand where you left off, blink while you think, and run ahead of every letter you type. What am I?\nA cursor.",
    "Two sisters live behind glass. What one loses, the other gains, until a hand turns their world upside down. What are we?\nThe halves of an hourglass.",
    "I tell the time without a tick, take every cloudy day off, and go to bed when the light does. What am I?\nA sundial.",
    "I open up when the sky is sad, and fold when I am home. What am I?\nAn umbrella.",
    "I lie on every step of the stairs, yet I never climb one. What am I?\nA stair carpet.",
    "I hang on the wall and lose a page a day, and nobody reads any of them twice. What am I?\nA tear-off calendar.",
  ],
};
