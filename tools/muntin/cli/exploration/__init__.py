"""Commands that explore what an answer means: `explain`, `explore`, `link`."""
