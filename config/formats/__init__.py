"""How the site writes dates: the same for everybody, whatever language a browser asks for."""
