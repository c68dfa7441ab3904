"""Commands for the development of Parallax; nothing here is imported by the package or the pages."""
