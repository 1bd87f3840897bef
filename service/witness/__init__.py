"""A witness of one's own: follow a service's log from outside, and look for one's own games in it."""
