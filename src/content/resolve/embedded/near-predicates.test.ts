import { describePages } from "../testing/describe-sides.ts";

/** Words of the question in another part of the sentence: modifiers, objects of other verbs, and figures of other series. */
describePages([
  [
    "Will the House vote to impeach Attorney General Paul Stent by 15 October 2026?",
    "2026-10-20",
    [
      ["", "The House voted 230-199 on Monday against impeaching Attorney General Paul Stent."],
      ["", "The House voted to table a resolution to impeach Attorney General Paul Stent."],
      ["", "The House voted on Monday to delay a vote to impeach Attorney General Paul Stent."],
    ],
  ],
  [
    "Will Borduria ratify the Coastal Waters Treaty by 20 October 2026?",
    "2026-10-20",
    [["NO", "Borduria's parliament voted against ratifying the Coastal Waters Treaty on 20 October 2026."]],
  ],
  [
    "Will Fennick be relegated from the Norland Premier League in the 2025-26 season?",
    "2026-05-20",
    [
      ["YES", "Fennick were relegated from the Norland Premier League on Saturday after a 2-0 defeat at Lorme."],
      ["", "Fennick were one defeat from being relegated from the Norland Premier League on Saturday."],
    ],
  ],
  [
    "Will Jana Keller win the 2026 Golden Boot of the Norland League?",
    "2026-05-25",
    [["", "Jana Keller presented the Norland League Golden Boot on Sunday."]],
  ],
  [
    "Will Mira Tolland become prime minister of Norland by 30 November 2026?",
    "2026-11-18",
    [["YES?", "Mira Tolland was designated prime minister of Norland on Tuesday, and must win a confidence vote."]],
  ],
  [
    "Will the Green Alliance win the most seats in the 2026 Norland parliamentary election?",
    "2026-10-06",
    [["", "The Green Alliance lost the most seats in Norland's parliamentary election on Sunday."]],
  ],
  [
    "Will Lumen Foods file for bankruptcy by 31 October 2026?",
    "2026-10-20",
    [
      ["YES", "Lumen Foods filed a petition for bankruptcy on Monday."],
      ["", "Lumen Foods filed a claim in the bankruptcy of Denby Grocers on Monday."],
      ["", "Lumen Foods filed its annual report on Monday after the bankruptcy of a rival."],
    ],
  ],
  [
    "Will the Kestrel 9 rocket launch by 31 October 2026?",
    "2026-10-20",
    [
      ["YES?", "The Kestrel 9 launch window opened on Monday."],
      ["", "The Kestrel 9 rocket received its launch licence on Monday."],
    ],
  ],
  [
    "Will Apex release the Model Q by 31 October 2026?",
    "2026-10-20",
    [
      ["YES", "Apex released the Model Q on Monday."],
      ["", "Apex released the price of the Model Q on Monday."],
    ],
  ],
  [
    "Will the FDA approve Zelvora for obesity by 31 October 2026?",
    "2026-10-20",
    [["", "The FDA approved the brand name Zelvora for obesity on Monday."]],
  ],
  [
    "Will Syldavia and Borduria agree to a ceasefire by 31 October 2026?",
    "2026-10-20",
    [
      ["YES", "Syldavia and Borduria agreed to a ceasefire on Monday."],
      ["YES?", "Syldavia and Borduria agreed to an energy ceasefire on Monday."],
      ["YES?", "Syldavia and Borduria agreed to a 12-hour ceasefire on Monday to evacuate the wounded."],
      ["", "Syldavia and Borduria agreed to discuss a ceasefire on Monday."],
    ],
  ],
  [
    "Will a magnitude 7.0 or higher earthquake strike Japan by 31 October 2026?",
    "2026-10-20",
    [["", "A magnitude 7.2 earthquake could strike Japan within 30 years."]],
  ],
  [
    "Will Harlan Motors lay off more than 5,000 workers by 31 October 2026?",
    "2026-10-20",
    [
      ["YES", "Harlan Motors laid off 6,200 workers on Monday."],
      ["", "Harlan Motors recalled 6,200 laid-off workers on Monday."],
    ],
  ],
  [
    "Will workers at Harlan Motors strike by 31 October 2026?",
    "2026-10-20",
    [["", "Workers at Harlan Motors struck a deal on Monday."]],
  ],
  [
    "Will the Norland election result be annulled by 31 October 2026?",
    "2026-10-20",
    [
      ["YES", "The Constitutional Court annulled the Norland election result on Monday."],
      ["", "The opposition declared the Norland election result annulled on Monday."],
    ],
  ],
  [
    "Will a court grant bail to Idris Kane by 31 October 2026?",
    "2026-10-20",
    [["YES?", "A court granted bail to Idris Kane, and a higher court stayed the order hours later."]],
  ],
  [
    "Will Hurricane Ida Rose make landfall in Ohana as a Category 4 storm by 31 October 2026?",
    "2026-10-20",
    [
      [
        "",
        "Hurricane Ida Rose made landfall in Ohana as a Category 3 storm on Monday after weakening from Category 4.",
      ],
    ],
  ],
  [
    "Will the jury find Dax Industries liable in the Meadow Creek case by 30 November 2026?",
    "2026-11-18",
    [["YES?", "A judge threw out a verdict that found Dax Industries liable in the Meadow Creek case."]],
  ],
  [
    "Will the Supreme Court overturn the ruling in Denby v. Harlan by 30 November 2026?",
    "2026-11-18",
    [
      ["YES", "The Supreme Court overturned the ruling in Denby v. Harlan on Tuesday."],
      ["", "The Supreme Court upheld the ruling in Denby v. Harlan in 2024."],
    ],
  ],
  [
    "Will the S&P 500 close above 7,500 on 30 October 2026?",
    "2026-11-01",
    [
      ["YES", "The S&P 500 closed at 7,512.30 on 30 October 2026."],
      ["NO", "The S&P 500 closed at 7,431.20 on 30 October 2026."],
      ["", "The S&P 500 closed 75 points higher on 30 October 2026."],
      ["", "The S&P 500 was at 7,512 an hour before the close on 30 October 2026."],
    ],
  ],
  [
    "Will US CPI inflation for September 2026 be above 3.0% year-on-year?",
    "2026-10-14",
    [["", "US core consumer prices rose 3.2% in September from a year earlier."]],
  ],
  [
    "Will the unemployment rate in Norland for September 2026 be below 5%?",
    "2026-10-14",
    [["", "Norland's unemployment rate for September was revised from 4.8% to 5.1%."]],
  ],
  [
    "Will Glass Harbor win Best Picture at the 2026 Golden Mask Awards?",
    "2026-10-13",
    [["YES?", "Glass Harbor won Best Animated Picture at the Golden Mask Awards on Sunday."]],
  ],
  [
    "Will Iron Tides gross more than $100 million in its domestic opening weekend?",
    "2026-10-13",
    [
      ["YES", "Iron Tides grossed $112 million in its domestic opening weekend."],
      ["YES?", "Iron Tides grossed $112 million worldwide in its opening weekend."],
      ["", "Iron Tides 2 grossed $112 million in its domestic opening weekend."],
    ],
  ],
  [
    "Wird Paul Stent bis 31. Oktober 2026 verurteilt?",
    "2026-10-20",
    [
      ["YES", "Paul Stent wurde am Montag verurteilt."],
      ["", "Paul Stent verurteilte am Montag den Angriff."],
    ],
  ],
  [
    "¿Será condenado Juan Vera antes del 31 de octubre de 2026?",
    "2026-10-20",
    [
      ["YES", "Juan Vera fue condenado el lunes."],
      ["", "Juan Vera condenó el lunes el ataque."],
    ],
  ],
  [
    "Marc Vasseur sera-t-il condamné avant le 31 octobre 2026 ?",
    "2026-10-20",
    [["", "Marc Vasseur a condamné lundi l'attaque."]],
  ],
  [
    "Wird Karla Brenner bis 30. November 2026 zur Ministerpräsidentin von Westmark gewählt?",
    "2026-11-20",
    [
      ["YES", "Der Landtag wählte Karla Brenner am Donnerstag zur Ministerpräsidentin von Westmark."],
      ["YES", "Karla Brenner ist am Donnerstag zur Ministerpräsidentin von Westmark gewählt worden."],
      ["", "Karla Brenner ist am Donnerstag zur Landtagspräsidentin von Westmark gewählt worden."],
    ],
  ],
  [
    "Wird Karla Brenner bis 30. November 2026 entlassen?",
    "2026-11-20",
    [
      ["YES", "Karla Brenner ist am Donnerstag entlassen worden."],
      ["", "Karla Brenner hat am Donnerstag ihren Sprecher entlassen."],
    ],
  ],
  [
    "Will Norland join NATO by 31 October 2026?",
    "2026-10-20",
    [
      ["YES", "Norland joined NATO on Monday as its 33rd member."],
      ["YES?", "South Norland joined NATO on Monday."],
    ],
  ],
  [
    "Will the measles outbreak in Ohana be declared over by 31 October 2026?",
    "2026-10-20",
    [
      ["YES", "Health officials declared the measles outbreak in Ohana over on Monday."],
      ["", "Health officials declared the measles outbreak in Ohana an emergency on Monday."],
    ],
  ],
  [
    "Will Lake Tarn Nuclear Plant restart by 31 October 2026?",
    "2026-10-20",
    [
      ["YES", "The Lake Tarn nuclear plant restarted on Monday."],
      ["", "The Lake Tarn nuclear plant restarted its visitor centre on Monday."],
    ],
  ],
  [
    "Will Vela Mining's lithium mine receive its final permit by 31 October 2026?",
    "2026-10-20",
    [["", "A judge suspended the final permit of Vela Mining's lithium mine on Monday."]],
  ],
  [
    "Will the Norland government fall by 31 October 2026?",
    "2026-10-20",
    [["", "The Norland government fell silent on the question on Monday."]],
  ],
  [
    "Will Denby University appoint Ruth Calder as president by 31 October 2026?",
    "2026-10-20",
    [["", "Denby University named Ruth Calder a finalist for president on Monday."]],
  ],
  [
    "Will the average US 30-year mortgage rate fall below 6% by 31 October 2026?",
    "2026-10-20",
    [
      ["YES", "The average US 30-year mortgage rate fell to 5.94% on Thursday, Freddie Mac said."],
      ["", "The average US 30-year jumbo mortgage rate fell to 5.94% on Thursday."],
      ["", "Some lenders quoted a US 30-year mortgage rate of 5.94% on Thursday."],
    ],
  ],
  [
    "Will voters in Ohana approve Measure 12 in November 2026?",
    "2026-11-05",
    [
      ["YES", "Voters in Ohana approved Measure 12 on Tuesday."],
      ["", "Early returns show that voters in Ohana approved Measure 12."],
    ],
  ],
  [
    "Will Kylian Dorne score in the match against Arden on 18 October 2026?",
    "2026-10-19",
    [["YES?", "Kylian Dorne scored an own goal for Arden on 18 October 2026."]],
  ],
]);
