"""Stream slicing over ordered streams: Panes, Pairs and Cutty behind the operator interface.

A query is served by a *track*, which says where windows begin and end; all queries of one aggregate
and key share the *slices*, which a *store* keeps.
"""
