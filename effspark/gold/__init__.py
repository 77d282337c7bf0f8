"""From sums to the tables of a report: what the driver reads, and the rows it writes."""
