"""The units of ops/systemd under a real systemd, in namespaces of its own, while games are played."""
