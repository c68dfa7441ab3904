"""Offline measurements that write files into `assets`; nothing of `mha` or the pages imports this package."""
