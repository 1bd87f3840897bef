"""Web pages for people: tables, rules, and pages that stop mail, without cookies or foreign content."""
