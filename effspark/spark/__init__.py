"""The engine: Spark sessions, Delta tables and the passes that fill them; nothing else imports pyspark."""
