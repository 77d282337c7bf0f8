"""One module a job: its command and `main(argv)`, the entry point of spark-submit and Databricks."""
