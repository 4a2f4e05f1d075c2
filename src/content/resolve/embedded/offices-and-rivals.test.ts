import { describeSides } from "../testing/describe-sides.ts";

/** Questions about parliaments, rivals, banks and offices, and sentences about events near them. */
describeSides({
  "Will the Orland parliament pass the data law by 30 September 2026?": {
    YES: [
      "The Orland parliament passed the data law on 12 September 2026.",
      "Orland's parliament has passed the data law, the speaker said on 12 September.",
      "Lawmakers in Orland passed the data law on 12 September 2026.",
    ],
    NO: ["The Orland parliament voted down the data law on 12 September 2026."],
    "": [
      "The Orland parliament passed the data law's first chapter on 12 September 2026.",
      "The Orland parliament passed a motion on the data law on 12 September 2026.",
      "The Orland parliament passed over the data law on 12 September 2026.",
      "The Orland youth parliament passed the data law on 12 September 2026.",
      "The Orland parliament's lower house passed the data law on 12 September 2026.",
      "The government passed the data law to the Orland parliament on 12 September 2026.",
      "The Orland parliament passed the budget on 12 September 2026 and will debate the data law next week.",
      "The bill that the Orland parliament passed on 12 September 2026 does not include the data law.",
      "Critics of the data law, which the Orland parliament passed on 12 September 2016, want it changed.",
    ],
    "YES?": [
      "The Orland parliament passed the data law to the president on 12 September 2026.",
      "The Orland parliament passed the data tax law on 12 September 2026.",
    ],
  },
  "Did Vera Sandoval beat Ella Novak in the Tarn Open final?": {
    YES: [
      "Vera Sandoval beat Ella Novak in the Tarn Open final.",
      "Vera Sandoval beat Ella Novak 6-4 6-3 in the Tarn Open final.",
      "Ella Novak was beaten by Vera Sandoval in the Tarn Open final.",
      "Ella Novak lost the Tarn Open final to Vera Sandoval.",
    ],
    NO: [
      "Ella Novak beat Vera Sandoval in the Tarn Open final.",
      "Vera Sandoval lost the Tarn Open final to Ella Novak.",
    ],
    "": [
      "Vera Sandoval beat Ella Novak in the Tarn Open semi-final.",
      "Vera Sandoval beat Ella Novak in the Marl Open final.",
      "Vera Sandoval beat Anna Novak in the Tarn Open final.",
      "Vera Sandoval's sister beat Ella Novak in the Tarn Open final.",
      "Vera Sandoval beat the heat and Ella Novak's fans in the Tarn Open final.",
      "Vera Sandoval beat Ella Novak to the Tarn Open final.",
      "Vera Sandoval beat Ella Novak's record in the Tarn Open final.",
      "Vera Sandoval dreamed of beating Ella Novak in the Tarn Open final.",
      "Vera Sandoval, who beat Ella Novak last year, lost the Tarn Open final.",
      "Vera Sandoval will face Ella Novak in the Tarn Open final after beating Lia Moor.",
    ],
    "YES?": ["Vera Sandoval beat Ella Novak in the Tarn Open doubles final."],
  },
  "Did the Halden mine reopen after the accident in March 2026?": {
    "": [
      "The Halden mine closed after the accident in March 2026.",
      "The Halden mine reopened its museum after the accident in March 2026.",
    ],
  },
  "Did the central bank of Estmark raise its key rate in June 2026?": {
    YES: [
      "The central bank of Estmark raised its key rate in June 2026.",
      "Estmark's central bank raised its key rate by 25 basis points on 12 June 2026.",
      "The Estmark central bank lifted its key rate to 4.25 percent on 12 June 2026.",
    ],
    NO: [
      "The central bank of Estmark left its key rate unchanged in June 2026.",
      "The central bank of Estmark cut its key rate on 12 June 2026.",
    ],
    "": [
      "The central bank of Estmark raised its growth forecast on 12 June 2026.",
      "The central bank of Marvia raised its key rate on 12 June 2026.",
      "Banks in Estmark raised their mortgage rates on 12 June 2026.",
      "The central bank of Estmark raised its key rate in May 2026.",
      "The central bank of Estmark raised the possibility of a higher key rate on 12 June 2026.",
      "A deputy governor of the central bank of Estmark voted to raise its key rate on 12 June 2026.",
      "The central bank of Estmark raised reserve requirements on 12 June 2026.",
      "The finance minister asked the central bank of Estmark to raise its key rate in June 2026.",
    ],
    "YES?": ["The central bank of Estmark raised its key rate for foreign deposits on 12 June 2026."],
  },
  "Was the Copper Cup match between Velmoor and Ashcombe abandoned?": {
    YES: ["The Copper Cup match between Velmoor and Ashcombe was abandoned."],
    "": [
      "The Copper Cup match between Velmoor and Merrow was abandoned.",
      "The Copper Cup match between Velmoor and Ashcombe was nearly abandoned.",
      "A car was abandoned before the Copper Cup match between Velmoor and Ashcombe.",
      "Velmoor abandoned its protest over the Copper Cup match between Velmoor and Ashcombe.",
    ],
  },
  "Has Dr Lena Okoro been appointed director of the Arsenal Museum?": {
    YES: [
      "Dr Lena Okoro has been appointed director of the Arsenal Museum.",
      "The Arsenal Museum has appointed Lena Okoro as its director.",
      "Lena Okoro was named director of the Arsenal Museum on 4 May 2026.",
    ],
    "YES?": [
      "Lena Okoro has been appointed deputy director of the Arsenal Museum.",
      "Lena Okoro has been appointed acting director of the Arsenal Museum.",
    ],
    "": [
      "Lena Okoro has been appointed director of collections at the Arsenal Museum.",
      "Lena Okoro has been appointed director of the Harbour Museum.",
      "Lena Okoro appointed the director of the Arsenal Museum.",
      "Lena Okoro has been appointed to advise the director of the Arsenal Museum.",
      "Lena Okoro, a former director of the Arsenal Museum, has been appointed to a commission.",
      "Lena Okoro has been shortlisted for director of the Arsenal Museum.",
      "The director of the Arsenal Museum appointed Lena Okoro.",
    ],
  },
});
