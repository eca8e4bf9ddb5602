"""The assembly: settings, addresses, errors, identity. It imports all apps; none imports it."""
