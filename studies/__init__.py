"""Offline measurements that write files into `assets`; neither `mha` nor the pages import this package."""
