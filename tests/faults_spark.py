"""Which faults of the engine must the tests notice? Like faults_table.py; each of these tests starts Spark."""

from __future__ import annotations

from tests.faults_table import Fault

# fmt: off
FAULTS = (
    Fault("the older record wins", "effspark/spark/merging.py",
          "{_struct('s', order)} > {_struct('t', order)}", "{_struct('s', order)} < {_struct('t', order)}",
          "tests/spark/test_silver.py::test_a_later_version_of_an_attempt_wins_whatever_the_order", spark=True),
    Fault("the ledger is written before the rows", "effspark/spark/ingest.py",
          '    again = absorb(store, staged, files, known, load_id)\n'
          '    merge_changed(store, "loads", store.frame(ledger.table(files)))\n',
          '    merge_changed(store, "loads", store.frame(ledger.table(files)))\n'
          '    again = absorb(store, staged, files, known, load_id)\n',
          "tests/spark/test_ingest.py::test_a_load_keeps_what_it_can_and_writes_the_ledger_last", spark=True),
    Fault("moments of vanished runs stay", "effspark/spark/merging.py",
          '"WHEN MATCHED AND s.fingerprint <> t.fingerprint THEN UPDATE SET *", "true")',
          '"WHEN MATCHED AND s.fingerprint <> t.fingerprint THEN UPDATE SET *", "false")',
          "tests/spark/test_measure.py::test_labels_names_and_rereading_take_effect_late_and_leave_no_ghosts",
          spark=True),
    Fault("what content no longer gives stays", "effspark/spark/silver.py",
          "again = _remove_ghosts(store, staged, stale,", "again = _remove_ghosts(store, staged, stale[:0],",
          "tests/spark/test_silver.py::test_a_mended_mapping_takes_effect_and_leaves_no_ghosts", spark=True),
    Fault("an unchanged file is read again", "effspark/spark/ledger.py",
          'same_file = row["size"] == log.size and', 'same_file = row["size"] != log.size and',
          "tests/spark/test_ledger.py"
          "::test_a_file_is_skipped_while_it_the_mapping_and_the_options_are_the_same"),
    Fault("rows behind an empty chunk are lost", "effspark/spark/store.py",
          "self.spark.createDataFrame(rows.combine_chunks(),", "self.spark.createDataFrame(rows,",
          "tests/spark/test_store.py::test_no_row_behind_an_empty_chunk_is_lost", spark=True),
)
# fmt: on
