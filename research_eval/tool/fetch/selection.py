"""Find the element that holds a page's main content."""

from research_eval.tool.fetch.dom import Element, Tree

__all__ = ["main_content"]


def main_content(tree: Tree) -> Element:
    """Return the element whose content is what the page is about."""
    for element in tree.elements:
        if element.tag == "main" or element.get("role") == "main":
            return element
    for element in tree.elements:
        if element.tag == "article":
            return element
    return tree.root
