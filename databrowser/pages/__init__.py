"""The web pages of the data browser and of the files to download."""
