import { describeSides } from "../testing/describe-sides.ts";

/** Questions about vetoes, approvals, ranks, causes and votes, and sentences about what is near them. */
describeSides({
  "Will Microline release its Orca console in Japan before 1 October 2026?": {
    YES: ["Microline released its Orca console in Japan on 12 September 2026."],
    "": [
      "Microline released its Orca console in Korea on 12 September 2026.",
      "Microline released a game for its Orca console in Japan on 12 September 2026.",
      "Microline will release its Orca console in Japan on 12 September 2026.",
      "Microline announced its Orca console in Japan on 12 September 2026.",
      "Microline opened pre-orders for its Orca console in Japan on 12 September 2026.",
      "Microline released a new colour of its Orca console in Japan on 12 September 2026.",
      "Microline released photos of its Orca console in Japan on 12 September 2026.",
      "Tecnova released its Orca console in Japan on 12 September 2026.",
      "Microline recalled its Orca console in Japan on 12 September 2026.",
    ],
  },
  "Did the governor of Westmark veto the rent bill in May 2026?": {
    YES: [
      "The governor of Westmark vetoed the rent bill on 12 May 2026.",
      "Westmark's governor has vetoed the rent bill, a spokesman said on 12 May 2026.",
      "The rent bill was vetoed by the governor of Westmark on 12 May 2026.",
    ],
    NO: ["The governor of Westmark signed the rent bill on 12 May 2026."],
    "": [
      "The governor of Westmark threatened to veto the rent bill on 12 May 2026.",
      "The governor of Eastmark vetoed the rent bill on 12 May 2026.",
      "The governor of Westmark vetoed the gun bill on 12 May 2026.",
      "The senate of Westmark overrode the governor's veto of the rent bill on 12 May 2026.",
      "The deputy governor of Westmark vetoed the rent bill on 12 May 2026.",
      "The governor of Westmark vetoed parts of the rent bill on 12 May 2026.",
      "The governor of Westmark vetoed an amendment to the rent bill on 12 May 2026.",
      "Tenants asked the governor of Westmark to veto the rent bill on 12 May 2026.",
      "The governor of Westmark vetoed the rent bill on 12 May 2024.",
    ],
  },
  "Will Aldine Bank's shareholders approve the takeover by Fenwick Bank?": {
    YES: [
      "Aldine Bank's shareholders approved the takeover by Fenwick Bank.",
      "Shareholders of Aldine Bank voted for the takeover by Fenwick Bank.",
    ],
    NO: [
      "Aldine Bank's shareholders rejected the takeover by Fenwick Bank.",
      "Shareholders of Aldine Bank voted against the takeover by Fenwick Bank.",
    ],
    "": [
      "Aldine Bank's board approved the takeover by Fenwick Bank.",
      "Fenwick Bank's shareholders approved the takeover of Aldine Bank.",
      "Aldine Bank's shareholders will vote on the takeover by Fenwick Bank.",
      "Aldine Bank's shareholders approved the takeover by Harbour Bank.",
      "Aldine Bank's shareholders approved the dividend before the takeover by Fenwick Bank.",
      "The regulator approved the takeover of Aldine Bank by Fenwick Bank.",
      "Aldine Bank's shareholders were urged to approve the takeover by Fenwick Bank.",
    ],
    "YES?": ["Aldine Bank's largest shareholder approved the takeover by Fenwick Bank."],
  },
  "Was the Sorrel dam breached by the flood of 3 May 2026?": {
    YES: [
      "The Sorrel dam was breached by the flood of 3 May 2026.",
      "The flood of 3 May 2026 breached the Sorrel dam.",
    ],
    "": [
      "The Sorrel dam was damaged by the flood of 3 May 2026.",
      "The Tarn dam was breached by the flood of 3 May 2026.",
      "The Sorrel dam was breached by the flood of 9 June 2019.",
      "Officials feared that the Sorrel dam would be breached by the flood of 3 May 2026.",
      "The Sorrel dam nearly broke in the flood of 3 May 2026.",
      "The operator of the Sorrel dam breached its permit before the flood of 3 May 2026.",
    ],
  },
  "Did Vale Pharma get approval for its drug Lumivor in Europe in 2026?": {
    YES: [
      "Vale Pharma got approval for its drug Lumivor in Europe in May 2026.",
      "The European regulator approved Vale Pharma's drug Lumivor in May 2026.",
    ],
    NO: ["The European regulator rejected Vale Pharma's drug Lumivor in May 2026."],
    "": [
      "Vale Pharma applied for approval for its drug Lumivor in Europe in May 2026.",
      "Vale Pharma got approval for its drug Lumivor in Canada in May 2026.",
      "Vale Pharma got approval for its drug Serovan in Europe in May 2026.",
      "Vale Pharma got approval for a trial of its drug Lumivor in Europe in May 2026.",
      "Vale Pharma withdrew its application for approval of Lumivor in Europe in May 2026.",
      "A panel recommended approval for Vale Pharma's drug Lumivor in Europe in May 2026.",
      "Vale Pharma expects approval for its drug Lumivor in Europe in May 2026.",
      "Vale Pharma got a warning about its drug Lumivor in Europe in May 2026.",
    ],
  },
  "Will the mayor of Dorn be re-elected in October 2026?": {
    "": [
      "The mayor of Marl was re-elected on 11 October 2026.",
      "The mayor of Dorn is seeking re-election on 11 October 2026.",
      "The deputy mayor of Dorn was re-elected on 11 October 2026.",
      "The mayor of Dorn was re-elected as party leader on 11 October 2026.",
      "The council of Dorn was re-elected on 11 October 2026.",
      "The mayor of Dorn will be re-elected on 11 October 2026, a poll says.",
    ],
  },
  "Did the national football team of Corland qualify for the 2026 Cup?": {
    YES: ["The national football team of Corland qualified for the 2026 Cup."],
    "": [
      "Corland's women qualified for the 2026 Cup.",
      "Corland's handball team qualified for the 2026 Cup.",
      "Corland can still qualify for the 2026 Cup.",
      "Norland qualified for the 2026 Cup.",
      "Corland qualified for the 2022 Cup.",
      "Corland qualified for the play-offs for the 2026 Cup.",
    ],
    "YES?": ["Corland's under-21 team qualified for the 2026 Cup."],
  },
  "Will the Marvian parliament dissolve before 1 October 2026?": {
    "YES?": ["The Marvian parliament was dissolved on 3 September 2026."],
    "": [
      "Norland's parliament was dissolved on 3 September 2026.",
      "Marvia's president threatened to dissolve parliament on 3 September 2026.",
      "A committee of Marvia's parliament was dissolved on 3 September 2026.",
    ],
  },
  "Did Tern ship more than 2 million units of its Lyra tablet in 2026?": {
    YES: ["Tern shipped 2.4 million units of its Lyra tablet in 2026."],
    "NO?": ["Tern shipped 1.7 million units of its Lyra tablet in 2026."],
    "": [
      "Tern shipped 2.4 million units of its Vega tablet in 2026.",
      "Tern shipped 2.4 million phones in 2026.",
      "Tern expects to ship 2.4 million units of its Lyra tablet.",
      "Tern recalled 2.4 million units of its Lyra tablet in 2026.",
      "Tern shipped 2.4 million units of its Lyra tablet in 2024.",
    ],
  },
  "Will a woman be elected president of Corland in 2026?": {
    YES: ["Corland elected a woman as president on 3 May 2026."],
    "": [
      "A woman was elected president of Norland on 3 May 2026.",
      "A woman is running for president of Corland.",
      "Corland has never had a woman as president.",
      "A woman was elected mayor of Denby in Corland on 3 May 2026.",
    ],
  },
  "Did the price of Brent oil fall below 60 dollars a barrel in September 2026?": {
    YES: [
      "Brent oil fell to 58.20 dollars a barrel on 14 September 2026.",
      "The price of Brent oil dropped below 60 dollars a barrel on 14 September 2026.",
    ],
    "NO?": ["The price of Brent oil stayed above 60 dollars a barrel throughout September 2026."],
    NO: ["Brent oil did not fall below 63 dollars a barrel in September 2026."],
    "": [
      "Brent oil fell to 58.20 dollars a barrel on 14 August 2026.",
      "Brent oil traded at 64 dollars a barrel on 14 September 2026.",
      "Brent oil fell by 58 dollars a barrel on 14 September 2026.",
      "Marl oil fell to 58.20 dollars a barrel on 14 September 2026.",
      "Analysts expect Brent oil to fall to 58.20 dollars a barrel in September 2026.",
      "Brent oil futures for 2028 fell to 58.20 dollars a barrel on 14 September 2026.",
    ],
  },
  "Will the Harbour Union call off its strike at Denby docks?": {
    YES: [
      "The Harbour Union called off its strike at Denby docks.",
      "The strike at Denby docks has been called off by the Harbour Union.",
    ],
    "": [
      "The Harbour Union called off talks about its strike at Denby docks.",
      "The Harbour Union called a strike at Denby docks.",
      "The Rail Union called off its strike at Denby docks.",
      "The Harbour Union called off its strike at Marl docks.",
      "Managers urged the Harbour Union to call off its strike at Denby docks.",
      "The Harbour Union postponed its strike at Denby docks.",
      "The Harbour Union may call off its strike at Denby docks.",
    ],
  },
  "Did Nora Whitt publish a memoir in 2026?": {
    YES: ["Nora Whitt published a memoir in March 2026.", "Nora Whitt's memoir was published in March 2026."],
    "": [
      "Nora Whitt published a novel in March 2026.",
      "Nora Whitt finished a memoir in March 2026.",
      "Nora Whitt's sister published a memoir in March 2026.",
      "A newspaper published extracts from Nora Whitt's memoir in March 2026.",
      "Nora Whitt will publish a memoir in March 2027.",
      "Nora Whitt signed a contract for a memoir in March 2026.",
    ],
  },
  "Did Westmere Athletic finish in the top four of the First League in 2026?": {
    YES: [
      "Westmere Athletic finished third in the First League in 2026.",
      "Westmere Athletic finished in the top four of the First League in 2026.",
    ],
    "NO?": ["Westmere Athletic finished seventh in the First League in 2026."],
    "": [
      "Westmere Athletic were in the top four of the First League at Christmas.",
      "Westmere Athletic's women finished in the top four of the First League in 2026.",
      "Westmere Athletic can finish in the top four of the First League in 2026.",
      "Marl Athletic finished in the top four of the First League in 2026.",
      "Westmere Athletic finished in the top four of the Second League in 2026.",
      "Westmere Athletic finished in the bottom four of the First League in 2026.",
    ],
  },
  "Will the Corland parliament be dissolved before 1 October 2026?": {
    YES: [
      "The Corland parliament was dissolved on 3 September 2026.",
      "The president dissolved the Corland parliament on 3 September 2026.",
    ],
    NO: ["The Corland parliament was dissolved on 3 October 2026."],
    "": [
      "The Corland parliament's youth council was dissolved on 3 September 2026.",
      "The Corland parliament dissolved a committee on 3 September 2026.",
      "The opposition wants the Corland parliament dissolved.",
      "The Norland parliament was dissolved on 3 September 2026.",
      "The Corland parliament dissolved into laughter on 3 September 2026.",
    ],
  },
  "Did Sillo raise at least 50 million dollars in its 2026 funding round?": {
    YES: [
      "Sillo raised 62 million dollars in its 2026 funding round.",
      "Sillo closed its 2026 funding round at 62 million dollars.",
    ],
    NO: ["Sillo raised 41 million dollars in its 2026 funding round."],
    "": [
      "Sillo is seeking 62 million dollars in its 2026 funding round.",
      "Sillo raised 62 million dollars in its 2024 funding round.",
      "Sillo was valued at 62 million dollars in its 2026 funding round.",
      "Sillo has raised 62 million dollars since 2019.",
      "Sillo lost 62 million dollars in 2026.",
      "Tecnova raised 62 million dollars in its 2026 funding round.",
    ],
  },
  "Will Denby get a tram line by the end of 2027?": {
    "": [
      "Denby plans a tram line by the end of 2027.",
      "Denby's council approved a tram line on 3 May 2026.",
      "Denby's bus line opened on 3 May 2026.",
      "Denby scrapped its plan for a tram line on 3 May 2026.",
    ],
  },
  "Was the Orland power cut of 3 May 2026 caused by a cyberattack?": {
    YES: [
      "The Orland power cut of 3 May 2026 was caused by a cyberattack.",
      "A cyberattack caused the Orland power cut of 3 May 2026.",
    ],
    "NO?": ["The Orland power cut of 3 May 2026 was caused by a storm."],
    NO: ["The Orland power cut of 3 May 2026 was not caused by a cyberattack."],
    "": [
      "Officials ruled out a cyberattack as the cause of the Marl power cut.",
      "A cyberattack is suspected to have caused the Orland power cut of 3 May 2026.",
      "A cyberattack caused the Marl power cut of 3 May 2026.",
      "The Orland power cut of 3 May 2026 was followed by a cyberattack.",
      "A cyberattack on Orland was prevented on 3 May 2026.",
    ],
  },
  "Did Ana Ruiz win a medal at the 2026 Winter Games?": {
    YES: [
      "Ana Ruiz won silver at the 2026 Winter Games.",
      "Ana Ruiz took gold at the 2026 Winter Games.",
      "Ana Ruiz won a bronze medal at the 2026 Winter Games.",
    ],
    "YES?": ["Ana Ruiz won a medal at the 2026 Youth Winter Games."],
    NO: [
      "Ana Ruiz finished fourth and won no medal at the 2026 Winter Games.",
      "Ana Ruiz failed to win a medal at the 2026 Winter Games.",
    ],
    "": [
      "Ana Ruiz won a medal at the 2022 Winter Games.",
      "Ana Ruiz's team-mate won a medal at the 2026 Winter Games.",
      "Ana Ruiz hopes to win a medal at the 2026 Winter Games.",
      "Ana Ruiz was stripped of the medal of the 2026 Winter Games.",
      "Ana Ruiz handed out a medal at the 2026 Winter Games.",
    ],
  },
  "Will Ruthen's GDP grow by at least 2 percent in 2025?": {
    YES: ["Ruthen's GDP grew by 2.3 percent in 2025."],
    NO: ["Ruthen's GDP grew by 1.4 percent in 2025.", "Ruthen's GDP shrank by 0.4 percent in 2025."],
    "": [
      "Ruthen's GDP grew by 2.3 percent in the last quarter of 2025.",
      "Marvia's GDP grew by 2.3 percent in 2025.",
      "Ruthen's GDP is forecast to grow by 2.3 percent in 2025.",
      "Ruthen's debt grew by 2.3 percent in 2025.",
      "Ruthen's GDP grew by 2.3 percent in 2024.",
    ],
  },
  "Did the council of Denby vote to close the Marl library?": {
    YES: ["The council of Denby voted to close the Marl library."],
    "": [
      "The council of Denby will vote on whether to close the Marl library.",
      "The council of Denby voted to close the Dorn library.",
      "The council of Denby voted to close the Marl pool.",
      "A committee of the council of Denby voted to close the Marl library.",
      "The council of Tarn voted to close the Marl library.",
      "Residents voted to close the Marl library, a poll of the council of Denby found.",
    ],
  },
  "Did Jon Lindqvist plead guilty to bribery?": {
    "": [
      "Jon Lindqvist was found guilty of bribery.",
      "Jon Lindqvist pleaded guilty to fraud.",
      "Jon Lindqvist's brother pleaded guilty to bribery.",
      "Jon Lindqvist may plead guilty to bribery.",
      "Jon Lindqvist was charged with bribery.",
    ],
  },
  "Will Aster and Bellis agree on a merger by 30 June 2026?": {
    YES: ["Aster and Bellis agreed on a merger on 12 June 2026."],
    "YES?": [
      "Aster and Bellis signed a merger agreement on 12 June 2026.",
      "Aster and Bellis agreed on a joint venture on 12 June 2026.",
      "Aster and Bellis agreed to talk about a merger on 12 June 2026.",
    ],
    NO: ["Aster and Bellis agreed on a merger on 12 July 2026."],
    "": ["Aster and Bellis are in talks about a merger.", "Aster and Corvo agreed on a merger on 12 June 2026."],
  },
  "Did the Petrel probe reach Mars orbit before 1 October 2026?": {
    YES: ["The Petrel probe reached Mars orbit on 12 September 2026."],
    "": [
      "The Petrel probe reached Venus orbit on 12 September 2026.",
      "The Heron probe reached Mars orbit on 12 September 2026.",
      "The Petrel probe left Earth orbit for Mars on 12 September 2026.",
      "The Petrel probe is to reach Mars orbit on 12 September 2026.",
      "The Petrel probe left Mars orbit on 12 September 2026.",
    ],
  },
  "Was Denby's mayor recalled in the vote of 3 May 2026?": {
    YES: ["Denby's mayor was recalled in the vote of 3 May 2026."],
    "YES?": ["Voters recalled Denby's mayor on 3 May 2026."],
    "": [
      "Denby's mayor faces a recall vote on 3 May 2026.",
      "Marl's mayor was recalled in the vote of 3 May 2026.",
      "Denby's mayor recalled the flood of 1953 on 3 May 2026.",
      "Denby's deputy mayor was recalled in the vote of 3 May 2026.",
      "Denby's council was recalled from holiday on 3 May 2026.",
    ],
  },
});
