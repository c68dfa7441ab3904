"""The server around the pages: one middleware, static files, previews of links, several processes, the command line."""
