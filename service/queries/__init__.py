"""The queries of the service: functions that read and change nothing, independent of the web framework."""
