import { describePages, describeSides } from "../testing/describe-sides.ts";

/** Reports that imply the outcome of the question, or exclude it, and near ones. */
describeSides({
  "Did Ilse Varga reach the semi-finals of the 2026 Larkhill Open?": {
    YES: [
      "Ilse Varga advanced to the semi-finals of the Larkhill Open.",
      "Ilse Varga is through to the semi-finals of the Larkhill Open.",
      "Ilse Varga booked a place in the semi-finals of the Larkhill Open.",
    ],
    NO: [
      "Ilse Varga was beaten by Noor Haddad in the quarter-finals of the Larkhill Open.",
      "Ilse Varga lost to Noor Haddad in the first round of the Larkhill Open.",
      "Ilse Varga's run at the Larkhill Open came to an end in the quarter-finals.",
      "Ilse Varga went out in the last 16 of the Larkhill Open.",
    ],
    "": [
      "Ilse Varga was beaten in the semi-finals of the Larkhill Open.",
      "Ilse Varga was not beaten in the quarter-finals of the Larkhill Open.",
      "Ilse Varga could be knocked out in the quarter-finals of the Larkhill Open.",
      "Noor Haddad was knocked out in the quarter-finals of the Larkhill Open by Ilse Varga.",
      "Ilse Varga's sister was knocked out in the quarter-finals of the Larkhill Open.",
      "If Ilse Varga lost in the quarter-finals of the Larkhill Open, the club would be poorer.",
      "Ilse Varga was beaten in the quarter-finals of the Larkhill Open in 2025.",
      "Ilse Varga was beaten in the quarter-finals of the Norrby Open.",
      "Ilse Varga was knocked out in the quarter-finals of the Larkhill Open, a bookmaker predicted.",
    ],
  },
  "Did Thornby Athletic beat Marl City in the Shield final on 3 October 2026?": {
    NO: ["Marl City are the holders of the Shield after a 2-1 victory over Thornby Athletic in the Shield final."],
    YES: ["Thornby Athletic lifted the Shield after a late win over Marl City in the Shield final on Saturday."],
    "": [
      "Marl City hope to be the holders of the Shield after a victory over Thornby Athletic in the Shield final.",
      "Marl City's fans were happy after a 2-1 victory over Thornby Athletic in the Shield semi-final.",
    ],
    "YES?": ["Thornby Athletic would be the holders after a victory over Marl City in the Shield final."],
  },
  "Did Orla Finch win the 2026 Bramling mayoral election?": {
    YES: [
      "Orla Finch, a former headteacher, is the new mayor of Bramling.",
      "Orla Finch becomes Bramling's new mayor.",
    ],
    "": [
      "Orla Finch is the new mayor of Bramling after an appointment by the council.",
      "Orla Finch is not the new mayor of Bramling.",
      "Orla Finch is the new mayor's deputy in Bramling.",
      "Orla Finch wants to be the new mayor of Bramling.",
      "Orla Finch is the new mayor of Colby.",
      "Curtis Vane said that Orla Finch is the new mayor of a dreamland called Bramling.",
    ],
  },
  "Did Orrin Motors decide not to recall the Orrin Swift in October 2026?": {
    YES: [
      "Orrin Motors decided not to recall the Orrin Swift.",
      "Orrin Motors has decided against a recall of the Orrin Swift.",
    ],
    NO: ["Orrin Motors recalled the Orrin Swift."],
    "": [
      "Orrin Motors may decide not to recall the Orrin Swift.",
      "Orrin Motors has decided against a recall of the Orrin Heron.",
      "Velora Motors has decided against a recall of its own Swift.",
      "Orrin Motors decides not to recall the Orrin Swift next week.",
    ],
    "NO?": [
      "Orrin Motors has not decided against a recall of the Orrin Swift.",
      "A union said that Orrin Motors would decide against a recall of the Orrin Swift.",
    ],
  },
  "Did the court in Almera refuse to extradite the broker Felix Orme?": {
    YES: ["A court in Almera turned down a request to extradite Felix Orme."],
    "": [
      "A court in Almera heard a request to extradite Felix Orme.",
      "A court in Almera did not turn down a request to extradite Felix Orme.",
      "A court in Almera may turn down a request to extradite Felix Orme.",
      "A court in Almera turned down a request to release Felix Orme.",
      "A court in Almera turned down a request to extradite Ned Orme.",
    ],
  },
  "Did the court extradite Felix Orme?": {
    "": ["The court heard a request to extradite Felix Orme.", "The court turned down a bid by Felix Orme."],
    "NO?": ["The court turned down a request to extradite Felix Orme."],
  },
  "Did Tollan and Ostravia sign a fisheries treaty by 30 September 2026?": {
    NO: [
      "The deadline for a fisheries treaty between Tollan and Ostravia passed on Wednesday without agreement.",
      "VARNHOLM - The deadline for a fisheries treaty between Tollan and Ostravia passed without a deal.",
    ],
    "": [
      "The deadline for a fisheries treaty between Tollan and Ostravia could pass without agreement.",
      "The deadline for a fisheries treaty between Tollan and Ostravia passed with an agreement.",
      "The deadline for a grain treaty between Tollan and Ostravia passed without agreement.",
      "The deadline for a fisheries treaty between Tollan and Norvia passed without agreement.",
    ],
  },
  "Was the permit of the Greyhill quarry revoked?": {
    YES: ["The Greyhill quarry has lost its permit."],
    "": [
      "The Greyhill quarry may lose its permit.",
      "The Greyhill quarry has not lost its permit.",
      "The Colby quarry has lost its permit.",
      "The Greyhill quarry's owner has lost a driving licence.",
      "If the Greyhill quarry has lost its permit, sixty jobs are gone.",
    ],
  },
  "Did the Skarrow footbridge reopen before 1 December 2026?": {
    YES: [
      "The Skarrow footbridge, shut since a barge struck it, was reopened to the public on Thursday, 1 October.",
      "The council gives notice that the Skarrow footbridge is open again with effect from 1 October 2026.",
      "The Skarrow footbridge reopened on 1 October 2026. The temporary ferry has been withdrawn.",
    ],
    "": [
      "The Skarrow footbridge, shut since a barge struck it last winter, has not reopened to the public.",
      "The council gives notice that the Skarrow footbridge is closed with effect from 1 October 2026.",
      "The Colby footbridge is open again with effect from 1 October 2026.",
      "The Skarrow footbridge will be open again with effect from 1 December 2026.",
    ],
  },
  "Did at least 20 people die in the Poldark landslide?": {
    YES: ["Twenty-six people lost their lives in the Poldark landslide."],
    "": [
      "Twenty-six people lost their homes in the Poldark landslide.",
      "Twenty-six people could lose their lives in a second Poldark landslide.",
    ],
  },
  "Did Princess Leonie fail to attend the Harbour Gala on 5 October 2026?": {
    NO: ["Their Highness Princess Leonie was present at the Harbour Gala in the evening."],
    "": ["The Duke was present at the Harbour Gala in the evening."],
    YES: ["Princess Leonie was not present at the Harbour Gala."],
  },
  "Was the 2026 Tarkut expedition led by Selma Aarons?": {
    YES: ["Selma Aarons headed the Tarkut expedition of 2026."],
    "": [
      "Jonas Peck headed the Tarkut expedition of 2026.",
      "Selma Aarons will head the Tarkut expedition of 2026.",
      "Selma Aarons headed the Tarkut expedition of 2022.",
      "Selma Aarons headed the Norrby expedition of 2026.",
    ],
  },
  "Did the population of the city of Grenholm exceed 500,000 at the end of September 2026?": {
    NO: ["The city of Grenholm had 341,200 inhabitants on 30 September 2026."],
    YES: ["The city of Grenholm had 512,000 inhabitants on 30 September 2026."],
    "": ["The Grenholm region had 512,000 inhabitants on 30 September 2026."],
  },
  "Was the result of the Galden referendum annulled?": {
    NO: ["The result of the Galden referendum is valid."],
    "": ["The opposition wants the result of the Galden referendum to be valid."],
  },
  "Did the Aldwater ferry stop running?": {
    YES: ["The Aldwater ferry made its last crossing on Sunday.", "The Aldwater ferry has ceased operation."],
    "": [
      "The Aldwater ferry will make its last crossing on Sunday.",
      "The Colby ferry made its last crossing on Sunday.",
    ],
  },
});

describePages([
  [
    "Did the Bank of Sorrento Bay cut interest rates at least three times in 2025?",
    "2026-01-05",
    [
      ["NO", "The Bank of Sorrento Bay cut rates twice in 2025."],
      ["", "The Bank of Sorrento Bay discussed a cut of its rates twice in 2025."],
      ["", "The Bank of Colby cut rates twice in 2025."],
    ],
  ],
  [
    "Did Astraline launch at least twelve rockets in 2026?",
    "2026-01-12",
    [
      ["", "Astraline launches twelve rockets in 2026, one a month."],
      ["YES", "Astraline has launched twelve rockets in 2026."],
    ],
  ],
  [
    "Did the 2026 Alpine summit agree on a carbon price?",
    "2024-06-05",
    [
      ["", "The Alpine summit agreed on a carbon price."],
      ["", "The summit agreed on a carbon price.", "alpinesummit.example", "Conclusions of the Alpine summit of 2024"],
    ],
  ],
  [
    "Did the 2026 Alpine summit agree on a carbon price?",
    "2026-06-05",
    [["YES", "The Alpine summit agreed on a carbon price."]],
  ],
]);
