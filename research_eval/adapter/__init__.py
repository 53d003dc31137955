"""The gate inside frameworks of others; each module needs the framework that it is named after."""
