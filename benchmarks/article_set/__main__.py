"""Write the pages of the article set, and their texts: `python benchmarks/article_set FOLDER`."""

import sys
from pathlib import Path

from pages import pages

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for page in pages():
        (folder / f"{page.name}.html").write_text(page.html, encoding="utf-8")
        (folder / f"{page.name}.txt").write_text(page.wanted, encoding="utf-8")
