"""Reference data: yearly files of public facts, loaded, stored and read."""
