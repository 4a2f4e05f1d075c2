import { describeSides } from "../testing/describe-sides.ts";

/** The subject of a clause: antecedents, owners, nouns before a preposition, subjects behind the verb, and clauses of a time. */
describeSides({
  "Will Harlan Voss be extradited to Norland by 30 November 2026?": {
    YES: ["Harlan Voss, who led the bank, was extradited to Norland on Monday."],
    "": [
      "The man who drove Harlan Voss was extradited to Norland on Monday.",
      "A judge who had cleared Harlan Voss was extradited to Norland on Monday.",
    ],
  },
  "Will Jonas Wirth resign by 30 November 2026?": {
    YES: [
      "The king accepted the resignation of Jonas Wirth on Monday.",
      "Jonas Wirth's resignation was accepted on Monday.",
      "Shares fell sharply on Monday when Jonas Wirth resigned.",
      "Jonas Wirth, whom critics had called weak, resigned on Monday.",
      "Jonas Wirth, after a quarrel with Silje Moe, resigned on Monday.",
      "Jonas Wirth (42) resigned on Monday.",
      "Silje Moe said Jonas Wirth, the governor, resigned on Monday.",
    ],
    "": [
      "Silje Moe, who advised Jonas Wirth, resigned on Monday.",
      "Silje Moe, whom Jonas Wirth had appointed, resigned on Monday.",
      "Silje Moe, the woman who beat Jonas Wirth, resigned on Monday.",
      "Silje Moe (who advised Jonas Wirth) resigned on Monday.",
      "Silje Moe – a friend of Jonas Wirth – resigned on Monday.",
      "Silje Moe (42) resigned on Monday, as Jonas Wirth had expected.",
      "Jonas Wirth said Silje Moe resigned on Monday.",
      "Jonas Wirth, who leads the bank, said Silje Moe, the deputy, resigned on Monday.",
      "Jonas Wirth, the governor, confirmed the deputy, Silje Moe, resigned on Monday.",
      "Governor Jonas Wirth accepted their resignation on Monday.",
      "Jonas Wirth received Silje Moe's resignation on Monday.",
      "Investors hoped for a rally when Jonas Wirth resigned.",
      "A trader said that shares would fall when Jonas Wirth resigned.",
    ],
  },
  "Will the bridge at Lorne be opened by 30 November 2026?": {
    YES: ["The bridge at Lorne was opened on Monday."],
    "": [
      "An exhibition about the bridge at Lorne was opened on Monday.",
      "The toll office of the bridge at Lorne was opened on Monday.",
    ],
  },
  "Will Ida Sommer become chief executive of Brandt by 30 November 2026?": {
    YES: ["Ida Sommer became chief executive of Brandt on Monday."],
    "YES?": [
      "Ida Sommer became chief executive of Brandt's Asian business on Monday.",
      "Ida Sommer became stand-in chief executive of Brandt on Monday.",
    ],
  },
  "Will Norland lift its ban on beef imports by 30 November 2026?": {
    YES: ["Norland lifted its ban on beef imports on Monday."],
    "YES?": ["Norland lifted its ban on beef imports from Marland on Monday."],
  },
  "Will the curfew in Port Lethia be lifted by 30 November 2026?": {
    YES: ["The curfew in Port Lethia was lifted on Monday evening."],
    "YES?": ["The curfew in the harbour quarter of Port Lethia was lifted on Monday."],
  },
  "Will Mirelle Foods report an annual loss by 30 November 2026?": {
    YES: ["Mirelle Foods reported an annual loss of 14 million crowns on Monday."],
    "YES?": ["Mirelle Foods reported a loss of 14 million crowns for the quarter on Monday."],
  },
  "Will the Medicines Agency approve the drug Corvitan by 30 November 2026?": {
    NO: [
      "The Medicines Agency refused to approve Corvitan on Monday.",
      "Bellan suffered a setback on Monday when the Medicines Agency refused to approve its drug Corvitan.",
    ],
    "": ["The Medicines Agency refused to approve the label of Corvitan on Monday."],
  },
  "Will dock workers at Port Carrow go on strike by 30 November 2026?": {
    YES: ["Cranes stood idle on Monday as dock workers at Port Carrow walked off the job."],
  },
  "Will the Lorne metro extension to the airport open by 30 November 2026?": {
    YES: ["The extension of the Lorne metro to the airport has opened."],
    "": ["The Lorne metro opened a ticket office on Monday."],
  },
  "Will the journalist Mira Tosh be released from prison in Sarvan by 30 November 2026?": {
    YES: ["Mira Tosh has been released from prison in Sarvan."],
    "YES?": ["Mira Tosh of Sarvan has been released."],
    "": ["Mira Tosh has released a book from prison in Sarvan."],
  },
  "Will Torrel Rovers win the National Cup in 2026?": {
    YES: ["Torrel Rovers won the National Cup on Sunday, their third title after 2022 and 2024."],
    "": ["Torrel Rovers won the National Cup after beating Hasken in 2024."],
  },
  "Will Castor acquire Quillon by 30 November 2026?": {
    YES: [
      "Castor, which supplies Halden, bought Quillon on Monday.",
      "Castor congratulated Halden and bought Quillon on Monday.",
    ],
    NO: [
      "Halden, which supplies Castor, bought Quillon on Monday.",
      "Castor watched Halden buy Quillon on Monday.",
      "Castor blamed Halden, which bought Quillon on Monday.",
    ],
  },
  "Will Castor go bankrupt by 30 November 2026?": {
    YES: ["Castor went bankrupt on Monday.", "Castor was declared bankrupt on Monday."],
    "": [
      "Halden, a supplier of Castor, went bankrupt on Monday.",
      "Castor said Halden went bankrupt on Monday.",
      "Halden was declared bankrupt on Monday, owing Castor millions.",
    ],
  },
  "Will the senate pass the Clean Rivers Act by 30 November 2026?": {
    YES: ["The senate did amend and pass the Clean Rivers Act on Monday."],
    NO: ["The senate did not read or pass the Clean Rivers Act by 30 November 2026."],
    "": [
      "The senate will amend or pass the Clean Rivers Act on Monday.",
      "The senate has the right to amend or pass the Clean Rivers Act.",
      "The senate is free to pass or reject the Clean Rivers Act.",
    ],
  },
  "Will the party leader Ana Rhee win the Kelmar presidential election by 30 November 2026?": {
    YES: ["Ana Rhee won the Kelmar presidential election on Monday."],
    "": ["The party of Ana Rhee won the Kelmar presidential election on Monday."],
  },
  // Names that are function words of a language.
  "Will Governor Per Lund resign by 30 November 2026?": {
    YES: ["Governor Per Lund resigned on Monday."],
    "": ["Ida Holm, an ally of Governor Per Lund, resigned on Monday.", "Ida Lund resigned on Monday."],
  },
  "Did Will Marsh win the Tarn Open by 30 November 2026?": {
    YES: ["Will Marsh won the Tarn Open on Monday."],
    "": ["Ivo Marsh won the Tarn Open on Monday."],
  },
  "Wird die Lindner AG bis zum 30. November 2026 die Werft Ossum übernehmen?": {
    YES: [
      "Am Montag hat die Lindner AG die Werft Ossum übernommen.",
      "Nach langem Streit übernahm die Lindner AG am Montag die Werft Ossum.",
    ],
    NO: ["Am Montag hat die Werft Ossum die Lindner AG übernommen."],
    "": ["Am Montag hat die Lindner AG die Kantine der Werft Ossum übernommen."],
  },
  "Wird die Bahn nach Tannheim bis zum 30. November 2026 eröffnet?": {
    YES: ["Nach sechs Jahren Bauzeit ist die Bahn nach Tannheim am Samstag eröffnet worden."],
    "": ["Am Samstag wurde eine Ausstellung über die Bahn nach Tannheim eröffnet."],
  },
  "Gewinnt der SV Rodenau den Landespokal?": {
    YES: ["Im Finale hat der SV Rodenau den Landespokal gewonnen."],
  },
  "Norvik acquisterà entro il 30 novembre 2026 la compagnia Orla?": {
    YES: ["Norvik ha acquistato lunedì la compagnia Orla."],
    "": ["Norvik ha acquistato lunedì due aerei della compagnia Orla."],
  },
});
