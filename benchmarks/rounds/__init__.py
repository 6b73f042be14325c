"""What the benchmarks share: claims, clocks, pages and charts."""
