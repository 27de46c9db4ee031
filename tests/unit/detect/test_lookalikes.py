from __future__ import annotations

import pytest

from deidra.app.detect.tagger import EntityTagger

CONSOLE = """
AXIAL T2|L|R|120 kV|W 400 L 40|MI 1.2|10 cm|GE MEDICAL SYSTEMS|May 5mm|PI-RADS 2|Big Bore|T1 SE 500/15|L1-L5|3.12.1
C-spine|2D SAG T1|TE 90 TR 4000|Thickness 5.0 mm|ACC. FACTOR 2|SL 5.0|HFS|FR 49Hz|TIS 0.3|Gain 50|DR 60|Persist Med
Map 3|Chroma 4/0|LV EF 55%|1.5T|0.625 mm|ID 1|MPR 3D|CTA CHEST W/O|100%|Order 3|Visit 2 of 5|Run 3|P: 12 F: 3
TR: 3000.0 TE: 80.0|kVp: 120, mA: 200|Frame rate 15 fps|Scale 1:2|12:30:45|Acq Tm: 12:04:33|3 T MR|Exam: Chest PA
WW: 350WL: 40|DFOV 35.0 cm|Ex: 12345|Se: 3|Im: 45|S 34.5|I 120.3|mm 5/5|HR 72 bpm|T1W_3D_TFE|ep2d_diff_b1000
t2_tse_sag|SIEMENS|MAGNETOM Skyra|Philips Achieva|SE: 3 IM: 12|FOV 24x24|IMG 12/24|GROUP 2 OF 4|Page 1 of 3|v 5.4.3
PORTABLE UPRIGHT|SUPINE|AP|Patient position: HFS|Study completed|Patient: SUPINE|Name: SUPINE|Chart 5 of 6|DIXON FAT
FLAIR TR 10000 TE 120|T1 SE TR 12000|3.0 mm ST|5 cm square|CINE 30 FRAMES LOOP|DSA 2 LEFT ICA RUN|120 KV DR
idea1234|SW 5.1.2.3|2 OCT 12.5 mm
""".strip().replace("\n", "|")
TERMS = """
Hill-Sachs view|Park view|Arnold-Chiari|Barrett|Baker's cyst|Kerley B lines|Foley catheter|Swan-Ganz|Judet view
Merchant view|Waters view|Wilson disease|Parkinson disease|Dr. Judet view|Abdomen^ABD_ROUTINE|Head^Routine
P4^P101^S108^I0, Gated, 0.0%|follow up in clinic|discharged from hospital|Site: Left knee
""".strip().replace("\n", "|")
LABELS = "Name:|Patient ID:|Date of birth:|Operator:|Institution:|DOB|MRN"


@pytest.mark.parametrize("text", f"{CONSOLE}|{TERMS}|{LABELS}".split("|"))
def test_what_only_looks_private_is_never_covered_without_a_curator(tagger: EntityTagger, text: str) -> None:
    assert [tag for tag in tagger.tags(text) if tag.score >= 0.8] == []


@pytest.mark.parametrize("text", CONSOLE.split("|"))
def test_console_text_holds_no_name_in_headers(tagger: EntityTagger, text: str) -> None:
    assert [tag for tag in tagger.tags(text, single_names=False) if tag.score >= 0.8] == []
