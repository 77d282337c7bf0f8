-- Which model is most efficient? The latest report of each name, a row a model, on the instances all pool models share.
-- Models whose tokens are a tokenizer's estimate are ranked apart from those whose tokens were counted.
-- Columns `all_…` are over all runs of the model: an instance on which it has nothing but an error or a run without token
-- count is no shared one, so only they tell of such runs.
WITH latest AS (
  SELECT name, max(created_at) AS created_at FROM reports GROUP BY name
),
latest_reports AS (
  SELECT r.name, r.report_id
  FROM reports r JOIN latest l ON r.name = l.name AND r.created_at = l.created_at
),
shown AS (
  SELECT s.name AS report, e.*
  FROM estimates e JOIN latest_reports s ON e.report_id = s.report_id
  WHERE e.layer = 'outcome' AND e.budget = 'own'
),
shared AS (
  SELECT
    report, report_id, benchmark_id, model_id, model,
    max(value) FILTER (WHERE metric = 'rank') AS rank,
    max(reason) FILTER (WHERE metric = 'rank') AS unranked_because,
    max(value) FILTER (WHERE metric = 'E0') AS e0,
    max(value) FILTER (WHERE metric = 'r_ctx') AS r_ctx,
    max(value) FILTER (WHERE metric = 'r_logic') AS r_logic,
    max(value) FILTER (WHERE metric = 'accuracy') AS accuracy,
    max(value) FILTER (WHERE metric = 'mean_T') AS mean_t,
    max(value) FILTER (WHERE metric = 'n') AS n,
    max(value) FILTER (WHERE metric = 'n_estimated') AS n_estimated,
    max(value) FILTER (WHERE metric = 'n_instances') AS n_instances
  FROM shown WHERE instance_set = 'shared'
  GROUP BY report, report_id, benchmark_id, model_id, model
),
own AS (
  SELECT
    report, report_id, benchmark_id, model_id,
    max(value) FILTER (WHERE metric = 'n') AS n,
    max(value) FILTER (WHERE metric = 'n_errors') AS n_errors,
    max(value) FILTER (WHERE metric = 'n_missing') AS n_missing,
    max(value) FILTER (WHERE metric = 'E0') AS e0,
    max(value) FILTER (WHERE metric = 'E0_low') AS e0_low,
    max(value) FILTER (WHERE metric = 'E0_errors_as_failures') AS e0_errors_as_failures,
    max(value) FILTER (WHERE metric = 'accuracy_errors_as_failures') AS accuracy_errors_as_failures,
    max(value) FILTER (WHERE metric = 'r_ctx_all') AS r_ctx_all
  FROM shown WHERE instance_set = 'own'
  GROUP BY report, report_id, benchmark_id, model_id
)
SELECT
  s.report AS report,
  s.benchmark_id AS benchmark,
  CASE WHEN 2 * s.n_estimated > s.n THEN 'estimated' ELSE 'counted' END AS tokens_are,
  s.rank AS rank,
  s.model AS model,
  s.e0 AS correct_per_1000_tokens,
  s.r_ctx AS finished,
  s.r_logic AS right_when_finished,
  s.accuracy AS accuracy,
  s.mean_t AS tokens,
  s.n AS runs,
  s.n_instances AS instances,
  s.unranked_because AS unranked_because,
  o.n AS all_runs,
  o.n_errors AS all_errors,
  o.n_missing AS all_without_token_count,
  o.e0 AS all_correct_per_1000_tokens,
  o.e0_low AS all_correct_per_1000_tokens_at_least,
  o.e0_errors_as_failures AS all_correct_per_1000_tokens_errors_as_failures,
  o.accuracy_errors_as_failures AS all_accuracy_errors_as_failures,
  o.r_ctx_all AS all_finished,
  s.model_id AS model_id,
  s.report_id AS report_id
FROM shared s LEFT JOIN own o
  ON s.report = o.report AND s.report_id = o.report_id AND s.benchmark_id = o.benchmark_id AND s.model_id = o.model_id
ORDER BY report, benchmark, tokens_are, rank NULLS LAST, correct_per_1000_tokens DESC NULLS LAST, model
