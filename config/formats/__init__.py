"""How the site writes dates: the same for all users, whatever language their browser prefers."""
