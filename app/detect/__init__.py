"""The detect stage: where text is, what it says, and what kind of private data it may be."""
