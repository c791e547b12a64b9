"""Compiled inner loops: arrays in, arrays out. The only room that knows Numba."""
