//go:build cgo && linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/dataset/frame"
	"github.com/kappagraph/kappa/internal/graph/export/parquet"
)

// writeRows writes n rows of every kind of value as our writer does it: of a text that seldom
// repeats, of two that do, of lists, and of what may be missing.
func writeRows(t *testing.T, path string, n int) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := parquet.NewWriter(file, []parquet.Column{
		{Name: "id", Kind: parquet.Text},
		{Name: "kind", Kind: parquet.Text},
		{Name: "same", Kind: parquet.Text, Optional: true},
		{Name: "names", Kind: parquet.Texts},
		{Name: "n", Kind: parquet.Integer},
		{Name: "x", Kind: parquet.Number, Optional: true},
		{Name: "seen", Kind: parquet.Instant, Optional: true},
	}, parquet.Property{Name: "kappa.epoch", Value: "7"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		w.Text(fmt.Sprintf("id-%d", i))
		w.Text(fmt.Sprintf("€ %d", i%1000))
		w.TextOrNull([]string{"", "same"}[i%2])
		w.Texts([][]string{nil, {"one"}, {"one", "two", ""}}[i%3])
		w.Integer(i - 5)
		x, at := new(float64(i)/4), time.UnixMicro(1_769_860_000_000_001+int64(i)*1_000_000)
		if i%5 == 0 {
			x, at = nil, time.Time{}
		}
		w.NumberOrNull(x)
		w.InstantOrNull(at)
		if err := w.EndRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
}

// TestFilesOfGraphs: DuckDB reads every value that the writer of the graph's tables has
// written, of no rows, of few, and of several row groups.
func TestFilesOfGraphs(t *testing.T) {
	p, dir := newPool(t, 1)
	made := `(SELECT 'id-' || i AS id, '€ ' || (i %% 1000) AS kind, CASE WHEN i %% 2 = 1 THEN 'same' END AS same,
		CASE i %% 3 WHEN 0 THEN []::VARCHAR[] WHEN 1 THEN ['one'] ELSE ['one', 'two', ''] END AS names, i - 5 AS n,
		CASE WHEN i %% 5 <> 0 THEN i / 4 END AS x, CASE WHEN i %% 5 <> 0 THEN make_timestamptz(1769860000000001 + i * 1000000) END AS seen FROM range(%d) r(i))`
	for _, n := range []int{0, 1, 7, 8, 9, 2000, 300_000} {
		table := frame.Table{Name: "t", Path: filepath.Join(dir, fmt.Sprintf("rows-%d", n))}
		writeRows(t, table.Path, n)
		want := fmt.Sprintf(made, n)
		a, err := do(t, p, time.Minute, frame.Request{Op: frame.OpQuery, Tables: []frame.Table{table}, Limit: 10, SQL: `SELECT (SELECT count(*) FROM t) AS rows,
			(SELECT count(*) FROM (SELECT * FROM t EXCEPT ALL SELECT * FROM ` + want + `)) AS wrong, (SELECT count(*) FROM (SELECT * FROM ` + want + ` EXCEPT ALL SELECT * FROM t)) AS missing`})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(a.Rows.Rows[0]); got != fmt.Sprintf(`{"rows":%d,"wrong":0,"missing":0}`, n) {
			t.Errorf("of %d rows: %s", n, got)
		}
		schema, err := do(t, p, time.Minute, frame.Request{Op: frame.OpSchema, Tables: []frame.Table{table}})
		if err != nil {
			t.Fatal(err)
		}
		var columns string
		for _, c := range schema.Schema.Columns {
			columns += fmt.Sprintf("%s %s %t; ", c.Name, c.Type, c.Nullable)
		}
		if want := "id VARCHAR false; kind VARCHAR false; same VARCHAR true; names VARCHAR[] false; n BIGINT false; x DOUBLE true; seen TIMESTAMP WITH TIME ZONE true; "; columns != want || schema.Schema.RowCount != int64(n) {
			t.Errorf("of %d rows: %s\nwant %s", schema.Schema.RowCount, columns, want)
		}
	}
}
