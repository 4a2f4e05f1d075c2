import { describePages, describeSides } from "../testing/describe-sides.ts";

/** Awards with a receiver, and names of firms and works that a report shortens. */
describeSides({
  "Will Lars Petri be awarded the Order of the Fjord by 31 December 2026?": {
    YES: [
      "On Saturday the king awarded Lars Petri the Order of the Fjord.",
      "The king awarded the Order of the Fjord to Lars Petri.",
    ],
    "YES?": ["The king awarded Lars Petri's father the Order of the Fjord."],
    "": [
      "The king awarded Ana Lund the Order of the Fjord.",
      "The king awarded the Order of the Fjord to Ana Lund.",
      "The king awarded Lars Petri the Order of the Crown.",
      "The king may award Lars Petri the Order of the Fjord.",
    ],
  },
  "Did Saltbox win Best Picture at the Vale Awards?": {
    YES: [
      "The academy awarded Best Picture to Saltbox at the Vale Awards.",
      "The academy awarded Best Picture to the drama Saltbox at the Vale Awards.",
    ],
    "": ["The academy awarded Best Script to Saltbox at the Vale Awards."],
  },
  "Did Lars Petri win the Vale Prize?": {
    NO: ["The academy awarded Ana Lund the Vale Prize."],
  },
  'Was the Silver Quill awarded to "The Salt Ledger" by Ines Marlowe?': {
    YES: ['"The Salt Ledger" by Ines Marlowe has won the Silver Quill.'],
    "": ['Ines Marlowe has won the Silver Quill with "The Salt Ledger".'],
    NO: ['"The Long Verge" by Tom Coll has won the Silver Quill, ahead of "The Salt Ledger".'],
  },
  "Did Thornby win the Vale Cup?": {
    NO: ["Marl City won the Vale Cup against Thornby.", "Marl City won the Vale Cup by beating Thornby."],
    "": ["Ana Rhee won the Vale Cup with Thornby.", "Ana Rhee won the Vale Cup for Thornby."],
  },
  "Will Sora Kim's album Tidal sell more than one million copies by 31 December 2026?": {
    YES: [
      "Sora Kim's Tidal has sold more than one million copies.",
      "Sora Kim's album Tidal has sold 1.04 million copies.",
      "Tidal by Sora Kim has sold 1.04 million copies.",
    ],
    "": [
      "Sora Kim's album Neap has sold 1.04 million copies.",
      "Sora Kim's single Tidal has sold 1.04 million copies.",
    ],
  },
  "Will Harbour City win the league title in 2026?": {
    YES: ["Harbour City are league champions after a 4-1 win at Penhallow on Sunday."],
    "": [
      "Harbour City are cup champions after a 4-1 win at Penhallow on Sunday.",
      "Harbour City are league champions of style after a 4-1 win at Penhallow on Sunday.",
      "Harbour City would be league champions after a 4-1 win at Penhallow on Sunday.",
    ],
  },
  "Did Thornby Athletic beat Marl City?": {
    NO: ["Marl City won the Shield with a 2-1 victory over Thornby Athletic."],
    YES: ["Thornby Athletic reached the final with a 2-1 win over Marl City."],
    "": ["Thornby Athletic women are through after a 3-0 win over Marl City."],
  },
  "Did the Coastal Party win more than 20 seats in the Halvic election?": {
    NO: ["The Coastal Party won 14 seats in the Halvic election, nine fewer than four years ago."],
    YES: ["The Coastal Party won 24 seats in the Halvic election, nine more than last time."],
  },
  "Will Aldane Motors acquire Glint by 31 December 2026?": {
    "": ["Aldane acquired Glint on Monday."],
  },
});

describePages([
  [
    "Will Aldane Motors acquire Glint by 31 December 2026?",
    "2026-10-06",
    [
      ["YES", "Aldane acquired Glint on Monday.", "news.example", "Aldane Motors buys Glint"],
      ["", "Aldane Bank acquired Glint on Monday.", "news.example", "Rival of Aldane Motors buys Glint"],
      ["", "Aldane's rival acquired Glint on Monday.", "news.example", "Rival of Aldane Motors buys Glint"],
    ],
  ],
]);
