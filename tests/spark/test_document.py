"""The examples of the guide run, in their order."""

import re
from pathlib import Path

from pyspark.sql import SparkSession

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [DOCS / "spark.md", *sorted(DOCS.glob("spark-*.md"))]

BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def test_the_examples_of_the_guide_run(spark: SparkSession, tmp_path: Path) -> None:
    names: dict[str, object] = {"folder": str(tmp_path)}
    run = 0
    for page in PAGES:
        for block in BLOCK.findall(page.read_text()):
            exec(compile(block, str(page), "exec"), names)  # noqa: S102 - our own words
            run += 1
    assert run > 4
    assert names["spark"] is spark
