"""The examples of the guide run, in their order."""

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [DOCS / "spark.md", *sorted(DOCS.glob("spark-*.md"))]

README = DOCS.parent / "README.md"
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


def test_the_example_of_the_readme_prints_its_table(
    spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    text = README.read_text()
    (block,) = [block for block in BLOCK.findall(text) if "muntin.spark" in block]
    names: dict[str, object] = {}
    exec(compile(block, "README.md", "exec"), names)  # noqa: S102 - our own words
    assert names["spark"] is spark
    assert capsys.readouterr().out.strip() in text
