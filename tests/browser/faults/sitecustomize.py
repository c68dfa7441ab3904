"""Faults of a server in a process of its own, for whoever starts it with this folder in PYTHONPATH.

FAULT_LOAD names a file: while it is there, the model cannot be loaded. FAULT_EGRESS names a file: whatever asks a host
that is not this machine is written into it, and waits for an answer that never comes, as behind a firewall that drops.
"""

import ipaddress
import os
import socket
import time
from pathlib import Path

load, egress = (os.environ.get(name) for name in ("FAULT_LOAD", "FAULT_EGRESS"))

if load:
    from mha.models.files import loading

    _load = loading._local  # what every way to a model on offer ends in

    def failing(*args, **kwargs):
        if Path(load).exists():
            raise RuntimeError(f"no weights in /srv/secret/folder of {load}")
        return _load(*args, **kwargs)

    loading._local = failing

if egress:
    _connect, _look_up = socket.socket.connect, socket.getaddrinfo

    def ours(host):
        try:
            address = ipaddress.ip_address(host)
            return address.is_loopback or address.is_unspecified  # where a server listens
        except ValueError:
            return host in ("localhost", "", None)

    def dropped(what):
        with open(egress, "a") as file:
            file.write(f"{what}\n")
        time.sleep(60)
        raise TimeoutError(f"nothing answers: {what}")

    def connect(self, address):
        if isinstance(address, tuple) and self.type != socket.SOCK_DGRAM and not ours(address[0]):
            dropped(address)
        return _connect(self, address)

    def look_up(host, *rest, **more):
        if not ours(host.decode() if isinstance(host, bytes) else host):
            dropped(host)
        return _look_up(host, *rest, **more)

    socket.socket.connect, socket.getaddrinfo = connect, look_up
