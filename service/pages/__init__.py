"""Web pages for people: tables, rules, and pages that stop mail, without scripts, cookies or foreign content."""
