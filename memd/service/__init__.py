"""The daemon as a service that the system starts: what is written where, and how it is started and stopped."""
