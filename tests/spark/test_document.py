"""The examples of the guide run, in their order."""

import re
from pathlib import Path

from pyspark.sql import SparkSession

GUIDE = Path(__file__).parents[2] / "docs" / "spark.md"


def test_the_examples_of_the_guide_run(spark: SparkSession, tmp_path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) > 3
    names: dict[str, object] = {"folder": str(tmp_path)}
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), names)  # noqa: S102 - our own words
    assert names["spark"] is spark
