"""Training of the text detector. Runs from a source tree with the extra ``[train]``; never installed."""
