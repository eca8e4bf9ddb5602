"""Backup and restore of everything the service keeps: database, stored files, keys in DATA_DIR.

`targets` writes named objects to a folder or a bucket; `sealing` encrypts them. `archives` has the
two kinds of object: parts of one backup, and files that all backups share, by their content.
`manifests` says what a backup consists of. `databases` takes and restores a database, `named_files`
lists the files that its rows name. `making` and `restoring` use all of these; `pruning` removes old
backups, `signed_files` checks what was signed.
"""
