-- Which labels belong to no run? By custom_id, else by benchmark and instance, under canonical names.
WITH named AS (
  SELECT l.target, l.custom_id, coalesce(a.canonical, l.benchmark_id) AS benchmark, l.instance_id, l.source_uri, l.source_offset
  FROM labels l LEFT JOIN aliases a ON a.kind = 'benchmark' AND a.raw = l.benchmark_id
),
records AS (
  SELECT DISTINCT source_record_id FROM runs WHERE source_record_id IS NOT NULL
),
instances_met AS (
  SELECT DISTINCT benchmark_id, instance_id FROM moments
)
SELECT n.benchmark, n.custom_id, n.instance_id AS instance, n.source_uri, n.source_offset
FROM named n
LEFT JOIN records r ON n.custom_id = r.source_record_id
LEFT JOIN instances_met m ON n.custom_id IS NULL AND n.benchmark = m.benchmark_id AND n.instance_id = m.instance_id
WHERE r.source_record_id IS NULL AND m.instance_id IS NULL
ORDER BY benchmark, custom_id NULLS FIRST, instance, source_uri, source_offset
