-- Which model is most efficient? The latest report of each name, a row a model, on the instances all pool models share.
-- Models whose tokens are a tokenizer's estimate are ranked apart from those whose tokens were counted; of an unranked
-- model that is said of all its runs, and it is null where none of them has tokens.
-- Columns `all_…` are over all runs of the model: an instance on which it has nothing but an error or a run without token
-- count is no shared one, so only they tell of such runs. Work is that of the benchmark's primary scale.
WITH latest AS (
  SELECT name, max(created_at) AS created_at FROM reports GROUP BY name
),
latest_reports AS (
  SELECT r.name, r.report_id
  FROM reports r JOIN latest l ON r.name = l.name AND r.created_at = l.created_at
),
shown AS (
  SELECT s.name AS report, e.*, concat(e.instance_set, ' ', e.metric) AS number
  FROM estimates e JOIN latest_reports s ON e.report_id = s.report_id
  WHERE e.layer = 'outcome' AND e.budget = 'own'
),
worked AS (
  SELECT
    report_id, benchmark_id, model_id, scale,
    max(value) FILTER (WHERE metric = 'VO') AS overhead,
    max(value) FILTER (WHERE metric = 'kappa') AS coupling,
    max(value) FILTER (WHERE metric = 'mean_W') AS mean_work,
    max(value) FILTER (WHERE metric = 'n') AS runs_with_work
  FROM estimates
  WHERE layer = 'workload' AND budget = 'own' AND instance_set = 'shared'
  GROUP BY report_id, benchmark_id, model_id, scale
  HAVING max(value) FILTER (WHERE metric = 'is_primary') = 1
),
wide AS (
  SELECT
    report, report_id, benchmark_id, model_id, model,
    max(value) FILTER (WHERE number = 'shared rank') AS rank,
    max(reason) FILTER (WHERE number = 'shared rank') AS unranked_because,
    max(value) FILTER (WHERE number = 'shared E0') AS e0,
    max(value) FILTER (WHERE number = 'shared r_ctx') AS r_ctx,
    max(value) FILTER (WHERE number = 'shared r_logic') AS r_logic,
    max(value) FILTER (WHERE number = 'shared accuracy') AS accuracy,
    max(value) FILTER (WHERE number = 'shared mean_T') AS mean_t,
    max(value) FILTER (WHERE number = 'shared n') AS n,
    max(value) FILTER (WHERE number = 'shared n_estimated') AS n_estimated,
    max(value) FILTER (WHERE number = 'shared n_instances') AS n_instances,
    max(value) FILTER (WHERE number = 'own n') AS all_n,
    max(value) FILTER (WHERE number = 'own n_estimated') AS all_estimated,
    max(value) FILTER (WHERE number = 'own n_errors') AS all_errors,
    max(value) FILTER (WHERE number = 'own n_missing') AS all_missing,
    max(value) FILTER (WHERE number = 'own n_cancelled') AS all_cancelled,
    max(value) FILTER (WHERE number = 'own n_invalidated') AS all_invalidated,
    max(value) FILTER (WHERE number = 'own n_excluded') AS all_excluded,
    max(value) FILTER (WHERE number = 'own n_unscored') AS all_unscored,
    max(value) FILTER (WHERE number = 'own E0') AS all_e0,
    max(value) FILTER (WHERE number = 'own E0_low') AS all_e0_low,
    max(value) FILTER (WHERE number = 'own E0_errors_as_failures') AS all_e0_errors_as_failures,
    max(value) FILTER (WHERE number = 'own accuracy_errors_as_failures') AS all_accuracy_errors_as_failures,
    max(value) FILTER (WHERE number = 'own r_ctx_all') AS all_r_ctx
  FROM shown
  GROUP BY report, report_id, benchmark_id, model_id, model
  HAVING count(*) FILTER (WHERE instance_set = 'shared') > 0
)
SELECT
  report,
  wide.benchmark_id AS benchmark,
  CASE
    WHEN rank IS NULL AND 2 * all_estimated > all_n THEN 'estimated'
    WHEN rank IS NULL THEN CASE WHEN all_n > 0 THEN 'counted' END
    WHEN 2 * n_estimated > n THEN 'estimated'
    ELSE 'counted'
  END AS tokens_are,
  CAST(rank AS BIGINT) AS rank,
  model,
  e0 AS correct_per_1000_tokens,
  r_ctx AS finished,
  r_logic AS right_when_finished,
  accuracy,
  mean_t AS tokens,
  CAST(n AS BIGINT) AS runs,
  CAST(n_instances AS BIGINT) AS instances,
  unranked_because,
  CAST(all_n AS BIGINT) AS all_runs,
  CAST(all_errors AS BIGINT) AS all_errors,
  CAST(all_missing AS BIGINT) AS all_without_token_count,
  CAST(all_cancelled AS BIGINT) AS all_cancelled,
  CAST(all_invalidated AS BIGINT) AS all_invalidated,
  CAST(all_excluded AS BIGINT) AS all_excluded,
  CAST(all_unscored AS BIGINT) AS all_without_verdict,
  all_e0 AS all_correct_per_1000_tokens,
  all_e0_low AS all_correct_per_1000_tokens_at_least,
  all_e0_errors_as_failures AS all_correct_per_1000_tokens_errors_as_failures,
  all_accuracy_errors_as_failures,
  all_r_ctx AS all_finished,
  worked.scale AS work_scale,
  worked.overhead AS tokens_per_unit_of_work,
  worked.coupling AS overhead_grows_with_work,
  worked.mean_work,
  CAST(worked.runs_with_work AS BIGINT) AS runs_with_work,
  wide.model_id,
  wide.report_id
FROM wide LEFT JOIN worked
  ON wide.report_id = worked.report_id AND wide.benchmark_id = worked.benchmark_id AND wide.model_id = worked.model_id
ORDER BY report, benchmark, tokens_are NULLS LAST, rank NULLS LAST, correct_per_1000_tokens DESC NULLS LAST, model
