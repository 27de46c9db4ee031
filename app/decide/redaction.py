"""What a policy says of redaction: how boxes are filled, and what documents are written as."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from deidra.app.decide.header_rules import Section


class Fill(StrEnum):
    """What a redacted box is filled with."""

    BLACK = "black"
    WHITE = "white"
    BACKGROUND = "background"
    CORNER = "corner"
    INPAINT = "inpaint"
    BLUR = "blur"


class Shape(StrEnum):
    """What is covered of text that runs at a slope."""

    POLYGON = "polygon"
    BOX = "box"


class DocumentFormat(StrEnum):
    """What documents and scans are written as."""

    SAME = "same"
    PDF = "pdf"
    TIFF = "tiff"
    PNG = "png"


class RedactSection(Section):
    """Pixels."""

    fill: Fill = Field(
        Fill.BLACK,
        description="black, white, background (the most frequent colour of the box's rim), corner (the box's top left "
        "pixel), inpaint (drawn on from around the box) or blur (the same under a cloud as dark as the text was in the "
        "mean; no stroke is left, but how much ink there was can be told in steps, of which black leaves nothing); "
        "lossy JPEG gets one colour a box: for background, inpaint and blur the mean of what is around",
    )
    surrogates: bool = Field(
        False,
        description="into a box that is redacted a made-up value of the same kind is written, where there is one: the "
        "same for the same original",
    )
    shape: Shape = Field(
        Shape.POLYGON, description="sloping text is covered by a sloping rectangle (polygon) or by an upright one (box)"
    )
    documents: DocumentFormat = Field(
        DocumentFormat.SAME,
        description="what documents are written as: same (a PDF as PDF, pictures of several pages as TIFF, others as "
        "PNG), pdf (with the words that can still be read as text), tiff or png (documents of several pages: tiff)",
    )
    vector: bool = Field(
        False,
        description="pages of a PDF on which nothing is covered stay text and lines, if all of it can be seen; else "
        "every page becomes a picture with its words",
    )
    padding_share: float = Field(0.15, ge=0, le=1, description="boxes grow by this share of their height")
    padding_least: int = Field(2, ge=0, le=50, description="boxes grow by at least this many pixels")
