-- Which runs were cut, at which budget, and how is that known? A row a run: reported by the log, or inferred from the budget,
-- the status or a limit of the harness.
SELECT
  e.benchmark_id AS benchmark,
  e.model,
  r.instance_id AS instance,
  r.attempt,
  r.output_tokens AS tokens,
  r.output_budget_tokens AS budget,
  r.stop_class,
  r.finish_reason_raw AS logged_reason,
  r.truncation_source AS known_by,
  r.source_uri,
  r.source_offset,
  r.run_key
FROM runs r JOIN eval_runs e ON r.eval_run_id = e.eval_run_id AND r.config_id = e.config_id
WHERE r.truncated
ORDER BY benchmark, model, instance, attempt, run_key
