-- Run once by the postgres container, when its database is made: the role of the web server, the worker and the receiver.
-- `novaluna migrate` gives it its rights. The password is that of DATABASE_URL in compose.yaml.
CREATE ROLE nova_service LOGIN PASSWORD 'nova_service';
