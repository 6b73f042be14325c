"""What the benchmarks share: claims, clocks, options, pages and charts."""
