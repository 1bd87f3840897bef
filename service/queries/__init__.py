"""What can be asked: functions that read and change nothing. No Flask in here."""
