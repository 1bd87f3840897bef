"""Web pages for people: tables to look at and to move on, the rules, settings, and pages that stop mail."""
