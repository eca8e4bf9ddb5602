"""JSON shapes of the filing API. Only here are names camelCase."""
