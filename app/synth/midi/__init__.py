"""A benchmark in the manner of MIDI-B (MICCAI 2024): DICOM series with planted private data and an answer key.

The files look like those of CR, DX, MG, CT, PET, MR, ultrasound and SR archives. The key says of every
element what a careful curator would do under PS3.15 Basic with modified dates, safe private
attributes, clean descriptors, patient characteristics and device identity retained. Nothing here
comes from a real person.
"""
