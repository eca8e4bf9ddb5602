"""The OpenAPI document of all APIs, and the reference page made from it."""
