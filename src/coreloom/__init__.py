"""Coreloom: operating-system services in hardware, in a software kernel or in Linux, measured side by side."""

__version__ = "0.1.0"
