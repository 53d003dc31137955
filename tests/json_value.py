"""What tests read out of JSON values."""

__all__ = ["texts_of"]


def texts_of(value):
    """Return every string of a JSON value, in order; names of fields are not among them."""
    if isinstance(value, dict):
        return [text for item in value.values() for text in texts_of(item)]
    if isinstance(value, list):
        return [text for item in value for text in texts_of(item)]
    return [value] if isinstance(value, str) else []
