"""The same semantics on columns: compiled, a batch at a time. It needs the extra `kernels`."""
