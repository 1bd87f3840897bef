"""Add events: what has happened at the tables, in one order, for streams and long polls.

Triggers write them, so whatever changes a table adds its event in the same transaction: this release, the previous one
while it is being replaced, and the host's commands. An event gets its place in the order after its commit
(`place_events`), so a reader who goes on from a place misses nothing that was committed late.

All tables are new. Whoever may add to the log may add events from the moment that the triggers exist.
"""

from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

TABLES = """
-- What was committed and has no place yet. No references: adding to it must wait for nothing.
CREATE TABLE new_events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game integer NOT NULL,
    kind text NOT NULL CONSTRAINT new_events_kind CHECK (kind IN (
        'join', 'leave', 'start', 'move', 'clock', 'host', 'end', 'close', 'message', 'change', 'invitation'
    )),
    number integer,                      -- of the log's entry, or of the message
    seat smallint,                       -- who did it, or about whom it is
    account text COLLATE "C",            -- for this account alone; empty: for the table
    at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);

-- With the state of the table when the event got its place, which is not before the event.
CREATE TABLE events (
    position bigint PRIMARY KEY,
    game integer NOT NULL,
    kind text NOT NULL,
    number integer,
    seat smallint,
    account text COLLATE "C",
    at timestamptz(3) NOT NULL,
    status text NOT NULL,
    version smallint NOT NULL,
    revision integer NOT NULL,
    head bytea NOT NULL,
    turn smallint
);
CREATE INDEX events_of_game ON events (game, position);
CREATE INDEX events_of_account ON events (account, position) WHERE account IS NOT NULL;

-- The last position given, and the last one deleted.
CREATE TABLE event_positions (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    last bigint NOT NULL DEFAULT 0,
    deleted bigint NOT NULL DEFAULT 0
);
INSERT INTO event_positions DEFAULT VALUES;
"""

PLACE = """
CREATE FUNCTION place_events() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    former bigint;
    placed integer;
BEGIN
    IF NOT EXISTS (SELECT FROM new_events) THEN
        RETURN 0;
    END IF;
    SELECT last INTO former FROM event_positions FOR UPDATE;
    WITH gone AS (
        DELETE FROM new_events WHERE id = ANY (ARRAY(SELECT id FROM new_events ORDER BY id LIMIT 1000)) RETURNING *
    )
    INSERT INTO events (position, game, kind, number, seat, account, at, status, version, revision, head, turn)
    SELECT former + row_number() OVER (ORDER BY gone.id), gone.game, gone.kind, gone.number, gone.seat, gone.account,
           gone.at, tables.status, coalesce(progress.version, 0), tables.revision,
           substr(coalesce(progress.head, tables.commitment), 1, 4), progress.turn
      FROM gone JOIN tables ON tables.key = gone.game LEFT JOIN progress ON progress.game = gone.game;
    GET DIAGNOSTICS placed = ROW_COUNT;
    UPDATE event_positions SET last = former + placed;
    PERFORM pg_notify('novaluna_events', (former + placed)::text);
    RETURN placed;
END;
$$;
"""
"""Before the start, a table has the head of its commitment, as in its ETag."""

TRIGGERS = """
CREATE FUNCTION event_of_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.move <> 'end' THEN
        INSERT INTO new_events (game, kind, number, seat, at)
        VALUES (NEW.game, CASE WHEN NEW.move LIKE 'mark host.%' THEN 'host'
                               WHEN NEW.move LIKE 'mark %' OR NEW.move = 'timeout' THEN 'clock'
                               ELSE 'move' END, NEW.seq, NEW.seat, NEW.at);
    END IF;
    RETURN NULL;
END;
$$;
CREATE TRIGGER event_of_entry AFTER INSERT ON log FOR EACH ROW EXECUTE FUNCTION event_of_entry();

CREATE FUNCTION event_of_progress() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO new_events (game, kind, number, at)
    VALUES (NEW.game, CASE TG_OP WHEN 'INSERT' THEN 'start' ELSE 'end' END, NEW.version, NEW.last_at);
    RETURN NULL;
END;
$$;
CREATE TRIGGER event_of_start AFTER INSERT ON progress FOR EACH ROW EXECUTE FUNCTION event_of_progress();
CREATE TRIGGER event_of_end AFTER UPDATE OF status ON progress
    FOR EACH ROW WHEN (OLD.status <> NEW.status AND NEW.status = 'finished') EXECUTE FUNCTION event_of_progress();

CREATE FUNCTION event_of_closing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO new_events (game, kind, at) VALUES (NEW.key, 'close', NEW.closed_at);
    RETURN NULL;
END;
$$;
CREATE TRIGGER event_of_closing AFTER UPDATE OF closed_at ON tables
    FOR EACH ROW WHEN (OLD.closed_at IS NULL AND NEW.closed_at IS NOT NULL) EXECUTE FUNCTION event_of_closing();

-- Who has left a table no longer sees its events, and so gets one alone.
CREATE FUNCTION event_of_seat() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO new_events (game, kind, seat, at) VALUES (NEW.game, 'join', NEW.seat, NEW.joined_at);
    ELSE
        INSERT INTO new_events (game, kind, seat) VALUES (OLD.game, 'leave', OLD.seat);
        IF OLD.account IS NOT NULL THEN
            INSERT INTO new_events (game, kind, seat, account) VALUES (OLD.game, 'leave', OLD.seat, OLD.account);
        END IF;
    END IF;
    RETURN NULL;
END;
$$;
CREATE TRIGGER event_of_seat AFTER INSERT OR DELETE ON seats FOR EACH ROW EXECUTE FUNCTION event_of_seat();

-- The revision of a table counts its messages. It does so at the commit, because a mail can bring a message and a move
-- in any order, and a move locks the log before it locks the table.
CREATE FUNCTION event_of_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE tables SET revision = revision + 1 WHERE key = NEW.game;
    INSERT INTO new_events (game, kind, number, seat, at)
    VALUES (NEW.game, 'message', NEW.number,
            (SELECT seat FROM seats WHERE game = NEW.game AND account = NEW.account), NEW.at);
    RETURN NULL;
END;
$$;
CREATE CONSTRAINT TRIGGER event_of_message AFTER INSERT ON messages DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION event_of_message();
"""

GRANTS = """
DO $$
DECLARE
    service text;
BEGIN
    FOR service IN
        SELECT DISTINCT grantee::regrole::text
          FROM pg_class, aclexplode(relacl) WHERE pg_class.oid = 'log'::regclass AND privilege_type = 'INSERT'
           AND grantee NOT IN (0, relowner)
    LOOP
        EXECUTE format('GRANT SELECT, INSERT, DELETE ON new_events TO %s', service);
    END LOOP;
END;
$$;
"""


def upgrade() -> None:
    """Add the tables and functions, then the triggers, in the order in which a move takes its locks."""
    for statements in (TABLES, PLACE, TRIGGERS, GRANTS):
        op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})
