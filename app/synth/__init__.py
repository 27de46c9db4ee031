"""Synthetic patients, DICOM instances and scanned documents with a key to every planted value.

Nothing here comes from a real person. The sample set shows the application to a new user, and the
key makes it a test: each private value must be gone from a release and each harmless text must stay.
"""
