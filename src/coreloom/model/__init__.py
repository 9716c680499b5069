"""Executable models: the referee of the kernel's operations."""
