"""World: the bundled web: pages and searches in, HTTP on 127.0.0.1 out."""

from research_eval.world.server import WorldServer, serve_world
from research_eval.world.site import World, load_world
from research_eval.world.transport import WorldTransport

__all__ = ["World", "WorldServer", "WorldTransport", "load_world", "serve_world"]
