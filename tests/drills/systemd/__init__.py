"""The units of `ops/systemd`, and those of Debian for several hosts, under a systemd in namespaces."""
