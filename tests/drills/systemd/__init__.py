"""Three Postgres under Patroni and etcd, and two hosts of the service behind HAProxy, each in a network of its own."""
