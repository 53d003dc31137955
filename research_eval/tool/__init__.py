"""Tool: a request of the agent in, text from the web out."""
