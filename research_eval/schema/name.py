"""Names that become files and folders: which of them some system cannot write."""

import re

__all__ = ["is_device_name"]

_DEVICE = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|\Z)")


def is_device_name(name: str) -> bool:
    """Return whether Windows takes `name` for a device, whatever follows its first point.

    >>> is_device_name("AUX.txt"), is_device_name("auxiliary")
    (True, False)
    """
    return _DEVICE.match(name) is not None
