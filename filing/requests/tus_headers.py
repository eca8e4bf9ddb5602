"""The headers of resumable uploads, which pages of other sites may send and read.

Source: tus resumable upload protocol 1.0, https://tus.io/protocols/resumable-upload
"""

VERSION = "1.0.0"
EXTENSIONS = "creation,checksum,termination"
REQUESTS = (
    "tus-resumable",
    "upload-checksum",
    "upload-length",
    "upload-metadata",
    "upload-offset",
)
ANSWERS = (
    "location",
    *("tus-resumable", "tus-version", "tus-extension", "tus-max-size", "tus-checksum-algorithm"),
    *("upload-length", "upload-metadata", "upload-offset"),
)
