"""Benchmarks: each module measures one subject and returns rows; the command line prints them."""
