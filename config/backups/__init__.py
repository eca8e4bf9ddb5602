"""Backup and restore of everything the service keeps: database, stored files, keys in DATA_DIR.

A target is a Django storage, of a folder or a bucket, which `targets` reads and writes:

    backups/<id>/database        the database, as its own tool wrote it
    backups/<id>/files           the list of files, one JSON object a line
    backups/<id>/manifest.sig    an Ed25519 signature of the manifest's bytes
    backups/<id>/manifest.json   what the backup is, with the hashes of database and list; the last
    files/<2 digits>/<SHA-256>   stored files, by their content, shared by all backups

`databases` takes a snapshot and restores it, `contents` lists the files that its rows name.
`making` and `restoring` use all of these.
"""
