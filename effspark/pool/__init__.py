"""Work derived from solvers: a pool of reference models, who solved what first, and how much the pool matters."""
