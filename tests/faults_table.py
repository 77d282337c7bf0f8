"""Which faults must the tests notice? One row a fault: what it would do to a report, and the test that turns red.

A fault is a text of one file, found there exactly once, and what takes its place. The test is the one that states
the broken rule; it must pass without the fault. `spark=True` marks a test that needs a JVM: such faults go last.
Planted by mutants.py.
"""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """One fault, and the pytest node that must fail with it (without parameters: any of them)."""

    name: str
    file: str
    old: str
    new: str
    test: str
    spark: bool = False


# fmt: off
TOKENS = (
    Fault("a missing T is 0", "effspark/runs/tokens.py",
          "return Tokens(None, reasoning, TokenSource.NONE,", "return Tokens(0, reasoning, TokenSource.NONE,",
          "tests/core/runs/test_tokens.py::test_a_null_never_becomes_0"),
    Fault("a 0 beside a text is a count", "effspark/runs/tokens.py",
          "replace(usage, output=None, reasoning=reasoning,", "replace(usage, output=0, reasoning=reasoning,",
          "tests/core/runs/test_tokens.py::test_a_false_zero_is_estimated_and_stays_flagged"),
    Fault("reasoning beside the output is left out", "effspark/runs/tokens.py",
          "added = (output or 0) + (reasoning or 0)", "added = output or 0",
          "tests/core/runs/test_tokens.py::test_the_first_test_that_holds_decides"),
    Fault("reasoning that the total includes is left out", "effspark/runs/tokens.py",
          "counted, convention, more = output + reasoning, TokenConvention.ADDITIVE, ()",
          "counted, convention, more = output, TokenConvention.INCLUSIVE, ()",
          "tests/core/runs/test_tokens.py::test_the_first_test_that_holds_decides"),
    Fault("a total that contradicts its parts is passed over", "effspark/runs/tokens.py",
          'return Tokens(None, usage.reasoning, *unknown, (*flags, "conflict"))', "pass",
          "tests/core/runs/test_tokens.py::test_the_first_test_that_holds_decides"),
    Fault("a T that is far too small for its text is taken without a word", "effspark/runs/generation.py",
          'return ("text_over_t",) if len(text) >', 'return () if len(text) >',
          "tests/core/runs/test_generation.py::test_a_text_that_does_not_fit_its_t_is_flagged"),
    Fault("an empty cell is 0", "effspark/readers/cells.py",
          "if value.strip().lower() in _NULLS or not value.strip():\n            return None",
          "if value.strip().lower() in _NULLS or not value.strip():\n            return 0",
          "tests/core/readers/test_cells.py::test_a_text_cell_is_parsed_by_its_declared_type"),
    Fault("usage of graders is added", "effspark/readers/inspect_usage.py",
          "own, last = (reported[0] or {}).get(model), reported[1]",
          "used = (reported[0] or {}).values()\n"
          "    own = {name: sum(one.get(name) or 0 for one in used) for name in FIELDS}\n"
          "    last = reported[1]",
          "tests/core/readers/test_inspect_usage.py::test_usage_of_other_models_is_never_added"),
    Fault("judgements by the model itself are added", "effspark/readers/inspect_usage.py",
          "counts = _without(_counts(own), made.judgements)", "counts = _counts(own)",
          "tests/core/readers/test_inspect_usage.py::test_judgements_that_were_never_added_are_not_subtracted"),
    Fault("each of n choices has the usage of all", "effspark/readers/openai_bodies.py",
          "usage=Usage(),\n            estimable=False,", "usage=usage,\n            estimable=False,",
          "tests/core/readers/test_openai_bodies.py::test_no_run_of_several_choices_gets_their_common_usage"),
)

ENDS = (
    Fault("a refused run is cut", "effspark/runs/stops.py",
          "if stop in (StopClass.STOP, StopClass.REFUSAL):\n        return True",
          "if stop is StopClass.STOP:\n        return True\n    if stop is StopClass.REFUSAL:\n        return False",
          "tests/core/layers/test_features.py::test_a_refusal_is_completed_and_tallied_with_its_tokens"),
    Fault("unknown completion is completed", "effspark/runs/stops.py",
          "if stop is StopClass.ERROR or truncated is None:", "if stop is StopClass.ERROR:",
          "tests/core/runs/test_stops.py::test_completion_follows_the_stop_class_or_the_inference"),
    Fault("a reported stop at the budget is a cut", "effspark/runs/stops.py",
          "return Truncation(False, TruncationSource.REPORTED,",
          "return Truncation(at_cap, TruncationSource.REPORTED,",
          "tests/core/runs/test_stops.py::test_rule_2_a_reported_stop_is_whole_and_flagged_at_the_cap"),
    Fault("an estimated T tells a cut", "effspark/runs/stops.py",
          "return True if ends_open else None", "return True",
          "tests/core/runs/test_stops.py::test_rule_4_an_estimated_t_rules_a_cut_out_but_never_in"),
    Fault("a cut run is right", "effspark/layers/features.py",
          '"correct") & ~known.cut & (known.complete | ~known.complete_known)', '"correct")',
          "tests/core/layers/test_features.py::test_a_cut_run_labelled_correct_is_a_failure_and_tallied"),
    Fault("a judged run without T has no accuracy", "effspark/layers/outcome.py",
          'sums["correct"] + sums["missing_correct"]', 'sums["correct"]',
          "tests/core/layers/test_outcome.py::test_runs_without_a_count_have_an_accuracy_all_the_same"),
    Fault("an unscored run is wrong", "effspark/layers/features.py",
          'judged = repeats.judged(_text(runs, "scorer") == "", _known(runs, "correct"), cut)',
          "judged = np.ones(len(stop), bool)",
          "tests/core/layers/test_features.py::test_a_run_without_a_verdict_is_unscored_unless_it_was_cut"),
    Fault("errors are in the layer", "effspark/layers/features.py",
          "counts = (status == Status.OK.value) & judged",
          "counts = np.isin(status, [Status.OK.value, Status.ERROR.value]) & judged",
          "tests/core/layers/test_features.py::test_what_is_not_ok_is_counted_and_out_of_every_layer"),
    Fault("runs without T are in the layer", "effspark/layers/features.py",
          "layer, absent = counts & has_tokens, counts & ~has_tokens",
          "layer, absent = counts, counts & ~has_tokens",
          "tests/core/layers/test_features.py::test_missing_tokens_leave_the_layer_and_are_never_zero"),
    Fault("half a point is a success", "effspark/runs/record.py",
          "CORRECT_FROM = 1 - 1e-9", "CORRECT_FROM = 0.5",
          "tests/core/runs/test_record.py::test_a_score_is_a_success_from_1_and_null_stays_null"),
)

IDENTITY = (
    Fault("a verdict makes another run", "effspark/runs/identity.py",
          'keys.members(logged.instance_id, label)', 'keys.members(logged.instance_id, label, len(logged.verdicts))',
          "tests/core/runs/test_build.py::test_verdicts_times_uuids_and_texts_make_no_other_run"),
    Fault("a time makes another run", "effspark/runs/identity.py",
          'keys.members(logged.instance_id, label)', 'keys.members(logged.instance_id, label, str(logged.log_version))',
          "tests/core/runs/test_build.py::test_verdicts_times_uuids_and_texts_make_no_other_run"),
    Fault("a retried log is another eval run", "effspark/readers/inspect_header.py",
          'eval_run_id=as_text(spec.get("task_id")) or as_text(spec.get("run_id")),',
          'eval_run_id=as_text(spec.get("run_id")) or as_text(spec.get("task_id")),',
          "tests/core/readers/test_inspect_ai.py::test_a_retried_log_replaces_the_runs_it_repeats"),
    Fault("retries of a sample are forgotten", "effspark/readers/inspect_run.py",
          '"n_retries": len(sample.error_retries or ()),', '"n_retries": 0,',
          "tests/core/readers/test_inspect_run.py::test_retries_of_a_sample_are_counted"),
    Fault("other contents of a retried attempt are forgotten", "effspark/runs/winners.py",
          "len(contents[key]) - 1 + reported[key]", "reported[key]",
          "tests/core/runs/test_winners.py"
          "::test_retries_are_the_other_contents_of_an_attempt_and_the_most_that_a_log_reports"),
    Fault("failures that look alike are one attempt", "effspark/runs/build.py",
          "if status is Status.ERROR and run.log_version", "if False",
          "tests/core/runs/test_build.py::test_failures_of_other_times_are_other_attempts_and_equal_answers_are_not"),
    Fault("the oldest log wins", "effspark/runs/winners.py",
          '(name, "ascending") for name in (*key, *order)',
          '(name, "descending" if name == "log_version" else "ascending") for name in (*key, *order)',
          "tests/core/runs/test_winners.py::test_an_earlier_column_outranks_all_later_ones"),
    Fault("the file read last wins", "effspark/laptop.py",
          "order=winner_order(kind))", "order=())",
          "tests/core/test_laptop.py::test_the_newer_file_wins_whatever_the_order"),
    Fault("a run that two teams logged is two", "effspark/laptop.py",
          'if kind == "quarantine":', 'if kind in ("quarantine", "runs"):',
          "tests/core/test_laptop.py::test_a_run_of_two_teams_files_is_one_run_and_merged_in_neither"),
    Fault("7 and the text 7 in one log are taken for one", "effspark/readers/staging.py",
          'run.instance_id, type(logged.instance_id))', 'run.instance_id, str)',
          "tests/core/readers/test_staging.py::test_an_instance_met_as_number_and_as_text_is_a_clash"),
    Fault("7 and the text 7 are two instances", "effspark/runs/keys.py",
          "return str(value)", 'return f"{value}.0"',
          "tests/core/runs/test_build.py::test_7_as_number_and_as_text_are_one_instance"),
    Fault("an alias of a benchmark is ignored", "effspark/runs/matching.py",
          'nw.coalesce("_canonical", raw).alias(name)', "nw.col(raw).alias(name)",
          "tests/core/runs/test_names.py::test_an_alias_renames_the_benchmark_and_nothing_that_identifies_the_run"),
    Fault("an alias of a model is ignored", "effspark/runs/names.py",
          'nw.coalesce("_canonical", "request_model").alias("model")', 'nw.col("request_model").alias("model")',
          "tests/core/runs/test_names.py::test_two_spellings_of_one_model_are_one_model"),
    Fault("a question of two items names one of them", "effspark/runs/matching.py",
          '.filter(nw.col("_copies") == 1)', '.filter(nw.col("_copies") >= 1)',
          "tests/core/runs/test_matching.py::test_a_question_that_two_items_share_falls_back_to_the_id"),
    Fault("a budget that varies is lost", "effspark/runs/names.py",
          "nw.when(mixed).then(nw.lit(VARIES)).otherwise(single)", "single",
          "tests/core/runs/test_names.py::test_the_budget_of_a_model_is_a_number_varies_or_null"),
    Fault("two checkpoints of one name are one model", "effspark/runs/checkpoints.py",
          'nw.coalesce("model_revision", revision)', 'nw.col("model_revision")',
          "tests/core/runs/test_checkpoints.py::test_two_checkpoints_of_one_name_are_its_revisions"),
    Fault("one checkpoint splits a model from its runs without", "effspark/runs/checkpoints.py",
          'nw.when(nw.col("_least") < nw.col("_most"))', 'nw.when(~nw.col("_told").is_null())',
          "tests/core/runs/test_checkpoints.py::test_one_checkpoint_everywhere_renames_nothing"),
)

ROWS = (
    Fault("a refused record is dropped uncounted", "effspark/readers/staging.py",
          '            rows.reject(Rejected(entry.offset, "invalid_record", str(error), raw))\n', "",
          "tests/core/readers/test_staging.py::test_rows_add_up_over_entries_of_every_kind"),
    Fault("a reader that fails ends the load", "effspark/readers/crashes.py",
          "except (EffsparkError, MemoryError):", "except Exception:",
          "tests/core/readers/test_staging.py::test_a_reader_that_fails_leaves_what_it_read_and_one_refusal_that_names_it"),
    Fault("a reader of ours that fails is a refusal like others", "effspark/readers/staging.py",
          "reason = READER_FAILED if error.reason == READER_FAILED else UNREADABLE", "reason = UNREADABLE",
          "tests/core/readers/test_rubbish.py::test_a_reader_of_ours_that_fails_is_a_fault_and_no_refusal"),
    Fault("a reader without a title is taken", "effspark/readers/installed.py",
          "        if not hasattr(reader, name):", "        if False:",
          "tests/core/readers/test_installed.py::test_all_problems_of_all_readers_are_told_at_once"),
    Fault("a carriage return stays in the line", "effspark/readers/lines.py",
          'raw = raw.removesuffix(b"\\r")', "raw = bytes(raw)",
          "tests/core/readers/test_lines.py::test_pieces_of_any_size_give_the_same_lines"),
)

VERDICTS = (
    Fault("labels are ignored", "effspark/laptop.py",
          'found["verdicts"], labelled, judging', 'found["verdicts"], judging',
          "tests/core/test_laptop.py::test_labels_judge_the_instances_they_name"),
    Fault("the log outranks the label", "conf/defaults.yaml",
          'scorers: [label, exact_match, "*"]', 'scorers: ["*", exact_match, label]',
          "tests/core/test_laptop.py::test_a_label_outranks_the_verdict_of_the_log"),
    Fault("a run has the verdict of another scorer", "effspark/layers/judging.py",
          'verdicts.select("run_key", "scorer", "correct"), on=["run_key", "scorer"], how="left"',
          'verdicts.select("run_key", "correct").unique("run_key"), on=["run_key"], how="left"',
          "tests/core/layers/test_judging.py::test_each_run_stands_once_without_and_once_beside_every_scorer"),
    Fault("a verdict on an answer that lost counts", "effspark/layers/judging.py",
          '.filter(is_label | ~nw.col("_won").is_null())', "",
          "tests/core/layers/test_judging.py"
          "::test_verdicts_and_texts_of_a_record_that_lost_to_a_later_one_are_passed_over"),
    Fault("the last scorer of the list is used", "effspark/layers/selection.py",
          'scorer=order[0] if order else ""', 'scorer=order[-1] if order else ""',
          "tests/core/layers/test_selection.py::test_the_first_scorer_of_the_list_that_is_there_is_used"),
    Fault("verdicts of all scorers are added", "effspark/layers/selection.py",
          'place = ["benchmark_id", "eval_run_id", "config_id", "scorer"]',
          'place = ["benchmark_id", "eval_run_id", "config_id"]',
          "tests/core/layers/test_selection.py::test_only_rows_of_the_chosen_scorers_are_added"),
    Fault("runs that nobody judged count in layers", "effspark/layers/selection.py",
          "nw.when(silent).then(nw.lit(0))",
          "nw.when(silent).then(nw.lit(1))",
          "tests/core/layers/test_selection.py"
          "::test_runs_that_nobody_judged_of_a_judged_model_are_unscored_and_their_errors_count"),
    Fault("a scorer without a verdict has judged", "effspark/layers/judging.py",
          'verdicts.filter(~nw.col("correct").is_null())\n        .select("run_key", "scorer")',
          'verdicts\n        .select("run_key", "scorer")',
          "tests/core/layers/test_judging.py"
          "::test_a_scorer_whose_verdicts_are_all_null_has_judged_nothing"),
    Fault("a suspect is what some model fails", "effspark/layers/suspects.py",
          '(nw.col("correct") == 0) &',
          '(nw.col("correct") < nw.col("n")) &',
          "tests/core/layers/test_suspects.py::test_suspects_are_those_of_an_obvious_loop"),
)

NUMBERS = (
    Fault("an undefined quotient is 0", "effspark/layers/outcome.py",
          "np.where(denominator == 0, np.nan,", "np.where(denominator == 0, 0.0,",
          "tests/core/layers/test_outcome.py::test_an_undefined_number_says_why"),
    Fault("r_ctx is a share of all runs", "effspark/layers/outcome.py",
          'ratio(sums["known_completed"], known)', 'ratio(sums["known_completed"], n)',
          "tests/core/layers/test_outcome.py::test_completion_below_the_share_makes_rates_unknown_and_leaves_the_rest"),
    Fault("little known completion is enough", "effspark/layers/outcome.py",
          "enough = known_share >= least_known", "enough = known_share > 0",
          "tests/core/layers/test_outcome.py::test_completion_below_the_share_makes_rates_unknown_and_leaves_the_rest"),
    Fault("tokens of excluded refusals stay", "effspark/layers/estimates.py",
          '    ("tokens", "refused_tokens"),\n', "",
          "tests/core/layers/test_estimates.py::test_excluded_refusals_leave_every_layer_and_stay_counted"),
    Fault("VO is a ratio of means", "effspark/layers/workload.py",
          "overhead = ratio(tokens_per_work, n)", "overhead = ratio(tokens, work)",
          "tests/core/layers/test_workload.py::test_workload_vectors_pass_through_the_core"),
    Fault("the coupling of the signal is that of all tokens", "effspark/layers/trace.py",
          "workload(n, signal, work, signal_per_work)", "workload(n, tokens, work, signal_per_work)",
          "tests/core/layers/test_trace.py::test_the_trace_vector_passes_through_the_core"),
    Fault("more tokens are a gain", "effspark/layers/decomposition.py",
          'frozenset({"r_ctx", "r_logic", "q_trace"})', 'frozenset({"r_ctx", "r_logic", "q_trace", "mean_T"})',
          "tests/core/layers/test_decomposition.py::test_gains_enter_with_plus_and_costs_with_minus"),
    Fault("exact sums have one limb", "effspark/resampling/exact.py",
          "return total(int(parts.high.sum()), int(parts.low.sum()), scale)",
          "return total(int(parts.high.sum()), 0, scale)",
          "tests/core/resampling/test_exact.py::test_a_million_ratios_add_to_the_true_sum_within_one_rounding"),
    Fault("a new verdict leaves the fingerprint as it was", "effspark/layers/moments.py",
          "columns = [runs[name].to_pylist() for name in INPUT.names]",
          'columns = [runs[name].to_pylist() for name in INPUT.names if name != "correct"]',
          "tests/core/layers/test_moments.py::test_fingerprints_tell_null_from_false_and_from_text"),
)

STANDINGS = (
    Fault("shared is what any model covers", "effspark/layers/selection.py",
          'nw.col("_covering") == nw.col("_models")',
          'nw.col("_covering") > 0',
          "tests/core/layers/test_selection.py"
          "::test_a_model_below_the_coverage_is_outside_the_pool_and_does_not_shrink_it"),
    Fault("pairs are compared on their own instances", "effspark/gold/outcome_rows.py",
          'sides["pair"] = (pair, paired[part.benchmark_id, model, "pair_reference"])',
          'sides["pair"] = sides["own"]',
          "tests/core/gold/test_report_tables.py"
          "::test_a_pair_is_compared_where_both_have_runs_and_own_sets_stand_beside_it"),
    Fault("a tie goes to the name before the accuracy", "effspark/layers/ranking.py",
          "(-score, -accuracy, names[model.model_id], model)",
          "(-score, names[model.model_id], -accuracy, model)",
          "tests/core/layers/test_ranking.py::test_ties_go_to_the_higher_accuracy_then_to_the_name"),
    Fault("estimated and counted T are ranked together", "effspark/layers/ranking.py",
          "apart = model.is_estimated and not settings.rank_estimated_with_counted",
          "apart = False",
          "tests/core/layers/test_ranking.py"
          "::test_estimated_and_counted_tokens_are_ranked_apart_unless_conf_says_otherwise"),
    Fault("a model that was never right is a reference", "effspark/layers/ranking.py",
          'best.model_id if best.sums["correct"] > 0 else None', "best.model_id",
          "tests/core/layers/test_ranking.py::test_a_model_that_was_never_right_is_last_and_no_reference"),
)

WORK = (
    Fault("W of one scale is that of any", "effspark/gold/passes.py",
          'nw.when(nw.col("scale") == scale).then(nw.col("work")).alias(name)',
          'nw.col("work").alias(name)',
          "tests/core/gold/test_work_rows.py::test_terms_are_those_of_the_instances_that_both_cover"),
    Fault("real sums keep their whole part only", "effspark/layers/fixed.py",
          "rest = np.ldexp(rest - whole, LIMB_BITS)", "rest = np.zeros_like(rest)",
          "tests/core/layers/test_fixed.py::test_a_million_ratios_are_summed_to_one_rounding_of_each"),
    Fault("a log outranks the items of the benchmark", "effspark/layers/instance_work.py",
          '_ORDER = ("is_item", *WINNER_ORDER,', '_ORDER = (*WINNER_ORDER, "is_item",',
          "tests/core/layers/test_instance_work.py::test_items_outrank_logs_and_the_newest_log_the_others"),
    Fault("a model without work has overhead 0", "effspark/gold/work_rows.py",
          'dict.fromkeys(UNITS, (None, "no_work"))', "dict.fromkeys(UNITS, (0.0, None))",
          "tests/core/gold/test_work_rows.py::test_a_model_without_work_is_told_so_and_the_report_how_to_mend_it"),
)
POOL = (
    Fault("another model solves first", "effspark/arrow_engine.py",
          'rows = frame.to_arrow().sort_by([(column, "ascending")])',
          'rows = frame.to_arrow().sort_by([(column, "descending")])',
          "tests/core/gold/test_solver_rows.py"
          "::test_every_shared_instance_has_the_first_of_the_pool_that_solved_it"),
    Fault("a correct run without tokens defines work", "effspark/gold/solver_rows.py",
          'solved = counted.filter(nw.col("solving") > 0)', 'solved = counted.filter(nw.col("correct") > 0)',
          "tests/core/gold/test_solver_rows.py"
          "::test_every_shared_instance_has_the_first_of_the_pool_that_solved_it"),
    Fault("leaving the best out changes who is measured and not the pool", "effspark/gold/pool_sums.py",
          "rest = solver_work(ranked[:, k:], every[:-k]).work", "rest = solver_work(ranked, every).work",
          "tests/core/gold/test_pool_sums.py::test_every_audit_has_its_sums"),
    Fault("oneself stays in the pool", "effspark/pool/sensitivity.py",
          "np.where(models[:, None] == first, second, first)", "first + 0 * models[:, None]",
          "tests/core/pool/test_sensitivity.py::test_leave_self_out_equals_the_obvious_loop"),
    Fault("the reference half of a split is evaluated too", "effspark/pool/held_out.py",
          "evaluated = Workload(*(np.where(held, np.nan, part) for part in split))",
          "evaluated = split",
          "tests/core/pool/test_held_out.py::test_every_split_equals_the_obvious_loop"),
    Fault("estimated tokens define work beside counted ones", "effspark/gold/pools.py",
          "apart = mixed and not settings.report.rank_estimated_with_counted", "apart = False",
          "tests/core/gold/test_pools.py::test_estimated_tokens_define_no_work_beside_counted_ones"),
    Fault("parts of reals are rounded instead of cut", "effspark/layers/fixed.py",
          "        part = np.floor(scaled)\n        parts.append((part, place))\n",
          "        part = np.rint(scaled)\n        parts.append((np.abs(part), place))\n",
          "tests/core/layers/test_fixed.py::test_products_are_exact_in_any_order"),
)

ANALYSES = (
    Fault("cut runs count as wrong ones", "effspark/gold/selection_rows.py",
          'sums["known_completed"] - right, sums["known_completed_tokens"] - right_tokens',
          'sums["known"] - right, sums["known_tokens"] - right_tokens',
          "tests/core/gold/test_selection_rows.py"
          "::test_cut_runs_are_on_neither_side_and_an_empty_side_has_a_reason"),
    Fault("a diagnosis leaves out what is missing mostly on cut runs", "effspark/gold/diagnosis_rows.py",
          'r_ctx = completed / known if over_all else found["r_ctx"]', 'r_ctx = found["r_ctx"]',
          "tests/core/gold/test_diagnosis_rows.py::test_cut_runs_without_a_count_are_counted_in"),
    Fault("an interval of many undefined resamples is told", "effspark/gold/transfer_rows.py",
          "stable = found.undefined <= settings.resampling.most_undefined * found.resamples", "stable = True",
          "tests/core/gold/test_transfer_rows.py"
          "::test_an_interval_of_many_undefined_resamples_is_null_with_a_reason"),
    Fault("what is lost is counted from the highest level", "effspark/gold/surface_rows.py",
          "low, high = found.levels[0], found.levels[-1]", "high, low = found.levels[0], found.levels[-1]",
          "tests/core/gold/test_surface_rows.py::test_each_level_has_its_efficiency_and_the_axis_its_drop"),
    Fault("a scale without any work is primary", "effspark/gold/work_rows.py",
          "return next((scale for scale in scales if scale in worked), None)",
          "return next(iter(scales), None)",
          "tests/core/gold/test_work_rows.py::test_every_number_of_the_layer_equals_the_loop"),
)
# fmt: on

FAULTS = (*TOKENS, *ENDS, *IDENTITY, *ROWS, *VERDICTS, *NUMBERS, *STANDINGS, *WORK, *POOL, *ANALYSES)
"""Every fault, those without a JVM first."""
