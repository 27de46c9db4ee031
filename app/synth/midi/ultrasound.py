"""Ultrasound images and loops."""

from __future__ import annotations

import numpy as np
from pydicom import uid as uids
from pydicom.dataset import Dataset

from deidra.app.synth import images
from deidra.app.synth.midi.common import add_acquisition, start
from deidra.app.synth.midi.draft import Draft
from deidra.app.synth.midi.exam import Series
from deidra.app.synth.midi.pictures import add_images, painter

_SHAPE = (288, 384)
_FRAMES = 3


def make_us(series: Series, number: int) -> Draft:
    """Ultrasound Image Storage; image 1 is a loop (Ultrasound Multi-frame Image Storage)."""
    rng = series.choices(number)
    loop, colour = number == 1, number == 2
    sop_class = uids.UltrasoundMultiFrameImageStorage if loop else uids.UltrasoundImageStorage
    draft = start(series, number, sop_class)
    data = draft.dataset
    add_acquisition(draft, series, number, rng)
    draft.keep(
        data,
        ImageType=["ORIGINAL", "PRIMARY", "ABDOMINAL", "0001"],
        UltrasoundColorDataPresent=int(colour),
        LossyImageCompression="00",
        TransducerData=["C5-1", "", ""],
        ProcessingFunction="PERSIST 3",
        MechanicalIndex=f"{rng.randint(5, 14) / 10}",
        SoftTissueThermalIndex="0.8",
        BoneThermalIndex="1.5",
        FocusDepth="6.5",
        DepthOfScanField="150",
        HeartRate=f"{rng.randint(55, 95)}",
        TransducerType="CURVED LINEAR",
    )
    data.PatientOrientation = ""
    _regions(draft, 2 if colour else 1)
    generator = painter(series, number)
    if loop:
        draft.keep(data, FrameTime="33.3", NumberOfFrames=str(_FRAMES), CineRate="30")
        data.FrameIncrementPointer = 0x00181063
        planes = [images.ultrasound(generator, _SHAPE, phase) for phase in np.linspace(0, 1, _FRAMES)]
    else:
        planes = [images.ultrasound(generator, _SHAPE, rng.random())]
    if colour:
        tint = np.array([1.0, 0.92, 0.8])
        planes = [plane[..., np.newaxis] * tint for plane in planes]
    add_images(draft, series, planes, 8, rng, "RGB" if colour else "MONOCHROME2", 0.35)
    return draft


def _regions(draft: Draft, count: int) -> None:
    """Calibrated regions (PS3.3 C.8.5.5)."""
    regions = []
    for number in range(count):
        item = Dataset()
        draft.keep(
            item,
            RegionSpatialFormat=1,
            RegionDataType=1 + number,
            RegionFlags=0,
            RegionLocationMinX0=10 + 20 * number,
            RegionLocationMinY0=12,
            RegionLocationMaxX1=370,
            RegionLocationMaxY1=280,
            PhysicalUnitsXDirection=3,
            PhysicalUnitsYDirection=3,
            PhysicalDeltaX=0.03125,
            PhysicalDeltaY=0.03125,
            ReferencePixelX0=190,
            ReferencePixelY0=0,
            TransducerFrequency=3500,
        )
        regions.append(item)
    draft.items(draft.dataset, "SequenceOfUltrasoundRegions", *regions)
