"""Whether the service works: probes, and a check of each service that it depends on."""
