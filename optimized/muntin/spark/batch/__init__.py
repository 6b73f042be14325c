"""Batch: the strategies that compute windows of a static DataFrame, and the choice among them.

Driver and worker side of each strategy stand together. What streams share with batch is in
`execution`.
"""
