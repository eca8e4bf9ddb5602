"""The public pages around the apps: navigation, statements, forms, browser policy."""
