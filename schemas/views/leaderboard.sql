-- Which model is most efficient? The latest report of each name, a row a model, on the instances all pool models share.
-- Models whose tokens are a tokenizer's estimate are ranked apart from those whose tokens were counted.
WITH latest AS (
  SELECT name, max(created_at) AS created_at FROM reports GROUP BY name
),
shown AS (
  SELECT r.name, r.report_id, r.created_at
  FROM reports r JOIN latest l ON r.name = l.name AND r.created_at = l.created_at
)
SELECT
  s.name AS report,
  e.benchmark_id AS benchmark,
  CASE
    WHEN 2 * max(CASE WHEN e.metric = 'n_estimated' THEN e.value END) > max(CASE WHEN e.metric = 'n' THEN e.value END)
    THEN 'estimated' ELSE 'counted'
  END AS tokens_are,
  max(CASE WHEN e.metric = 'rank' THEN e.value END) AS rank,
  e.model AS model,
  max(CASE WHEN e.metric = 'E0' THEN e.value END) AS correct_per_1000_tokens,
  max(CASE WHEN e.metric = 'r_ctx' THEN e.value END) AS finished,
  max(CASE WHEN e.metric = 'r_logic' THEN e.value END) AS right_when_finished,
  max(CASE WHEN e.metric = 'accuracy' THEN e.value END) AS accuracy,
  max(CASE WHEN e.metric = 'mean_T' THEN e.value END) AS tokens,
  max(CASE WHEN e.metric = 'n' THEN e.value END) AS runs,
  max(CASE WHEN e.metric = 'n_instances' THEN e.value END) AS instances,
  max(CASE WHEN e.metric = 'rank' THEN e.reason END) AS unranked_because,
  e.model_id AS model_id,
  s.report_id AS report_id
FROM estimates e JOIN shown s ON e.report_id = s.report_id
WHERE e.layer = 'outcome' AND e.budget = 'own' AND e.instance_set = 'shared'
GROUP BY s.name, e.benchmark_id, e.model, e.model_id, s.report_id
ORDER BY report, benchmark, tokens_are, rank NULLS LAST, correct_per_1000_tokens DESC NULLS LAST, model
