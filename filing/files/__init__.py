"""What passes between people and the service as files: lists, downloads, remote files, ETags."""
