"""The layers of the method (paper section 3): moments, outcome, workload, trace, and the decomposition of a gap."""
