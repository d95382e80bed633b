//go:build cgo && linux

package main

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/dataset/frame"
	"github.com/kappagraph/kappa/internal/pgtest"
)

// bombs are queries that take more than there is, and how they end.
var bombs = map[string][]datasets.ErrorType{
	"SELECT repeat('x', 3000000000)":                                                           {datasets.ErrMemory},
	"SELECT length(repeat(repeat('x', 1000000), 100000))":                                      {datasets.ErrSQL},
	"SELECT list_sum(list(i)) FROM range(1000000000) t(i)":                                     {datasets.ErrMemory, datasets.ErrTimeout},
	"SELECT list_sum(range(1000000000))":                                                       {datasets.ErrMemory},
	"SELECT string_agg(i::VARCHAR, repeat('x', 1000)) FROM range(10000000) t(i)":               {datasets.ErrMemory, datasets.ErrTimeout},
	"SELECT * FROM range(1000000000) t(i) ORDER BY hash(i)":                                    {datasets.ErrMemory, datasets.ErrTimeout},
	"SELECT i, repeat('x', 100000) FROM range(1000000) t(i)":                                   {datasets.ErrMemory, datasets.ErrTimeout},
	"SELECT count(DISTINCT i) FROM range(2000000000) t(i)":                                     {datasets.ErrMemory, datasets.ErrTimeout},
	"SELECT a.i FROM range(100000) a(i) JOIN range(100000) b(i) ON a.i <> b.i ORDER BY 1 DESC": {datasets.ErrMemory, datasets.ErrTimeout},
	"SELECT sum(a.i * b.i) FROM range(10000000) a(i), range(10000000) b(i)":                    {datasets.ErrTimeout, datasets.ErrMemory},
	"SELECT count(*) FROM range(1000000000000) t(i) WHERE sqrt(i) = -1":                        {datasets.ErrTimeout},
	"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r":     {datasets.ErrTimeout, datasets.ErrMemory},
	"WITH RECURSIVE r(s) AS (SELECT 'x' UNION ALL SELECT s || s FROM r) SELECT max(s) FROM r":  {datasets.ErrMemory, datasets.ErrTimeout, datasets.ErrSQL},
	"SELECT regexp_matches(repeat('a', 100000000), '(a+)+b')":                                  {datasets.ErrTimeout, datasets.ErrMemory, ""},
	"SELECT " + strings.Repeat("(", 50_000) + "1" + strings.Repeat(")", 50_000):                {datasets.ErrSQL, datasets.ErrMemory},
	"SELECT " + strings.Repeat("1+", 40_000) + "1":                                             {datasets.ErrSQL, datasets.ErrMemory, ""},
	"SELECT list_transform(range(100000000), x -> repeat('y', x))":                             {datasets.ErrMemory, datasets.ErrTimeout},
	"SELECT map_from_entries([(i, i) FOR i IN range(300000)])":                                 {datasets.ErrMemory, datasets.ErrTimeout, ""},
}

func TestD01_BombsHarmNobody(t *testing.T) { dropBombs(t, 4) }

// TestD01_BombsHarmNobody_Slow drops all of them.
func TestD01_BombsHarmNobody_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	dropBombs(t, len(bombs))
}

// dropBombs drops so many bombs, whichever come first.
func dropBombs(t *testing.T, most int) {
	t.Helper()
	p, _ := newPool(t, 2)
	limit := time.Second
	before := residentOf(t)
	for sql, want := range bombs {
		if most--; most < 0 {
			break
		}
		begin := time.Now()
		_, err := do(t, p, limit, frame.Request{Op: frame.OpQuery, SQL: sql, Limit: 1000})
		if spent := time.Since(begin); spent > limit+20*time.Second {
			t.Errorf("%.60q ended after %s", sql, spent)
		}
		found := false
		for _, c := range want {
			found = found || class(err) == c
		}
		if !found {
			t.Errorf("%.60q: got %v, want one of %q", sql, err, want)
		}
	}
	runtime.GC()
	if grown := residentOf(t) - before; grown > 40<<20 { // the race detector's own included
		t.Errorf("the server grew by %d MiB", grown>>20)
	}
	if _, err := do(t, p, 10*time.Second, frame.Request{Op: frame.OpQuery, SQL: "SELECT 1", Limit: 1}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func residentOf(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(text), &size, &resident); err != nil {
		t.Fatal(err)
	}
	return resident * int64(os.Getpagesize())
}

// TestX07_MutatedFiles breaks Parquet files in many ways. Each has an answer, or a failure
// that says whose it is.
func TestX07_MutatedFiles(t *testing.T) {
	p, dir := newPool(t, 2)
	good := writeParquet(t, p, dir, "good", "SELECT i, i::VARCHAR AS s, [i, i+1] AS l, {'a': i} AS r FROM range(3000) t(i)")
	content, err := os.ReadFile(good.Path)
	if err != nil {
		t.Fatal(err)
	}
	footer := int(binary.LittleEndian.Uint32(content[len(content)-8:]))
	random := rand.New(rand.NewPCG(7, 7))
	path := filepath.Join(dir, "mutated")
	counts := map[datasets.ErrorType]int{}
	for i := range 30 {
		broken := append([]byte{}, content...)
		from, to := 4, len(broken)-8-footer // the data
		if i%3 != 0 {
			from, to = len(broken)-8-footer, len(broken)-4 // the footer and its length
		}
		for range 1 + random.IntN(8) {
			broken[from+random.IntN(to-from)] = byte(random.IntN(256))
		}
		_ = os.Remove(path)
		if err := os.WriteFile(path, broken, 0o644); err != nil { // workers may be another user
			t.Fatal(err)
		}
		table := frame.Table{Name: "t", Path: path}
		for _, r := range []frame.Request{
			{Op: frame.OpSchema, Tables: []frame.Table{table}},
			{Op: frame.OpQuery, SQL: "SELECT count(i), max(s), sum(len(l)), max(r.a) FROM t", Limit: 10, Tables: []frame.Table{table}},
		} {
			_, err := do(t, p, 3*time.Second, r)
			c := class(err)
			counts[c]++
			switch c {
			case "", datasets.ErrValidation, datasets.ErrSQL, datasets.ErrMemory, datasets.ErrTimeout:
			default:
				t.Errorf("file %d, %s: %v", i, r.Op, err)
			}
			if err != nil && strings.Contains(err.Error(), dir) {
				t.Errorf("file %d: a path of ours is shown: %v", i, err)
			}
		}
	}
	if counts[datasets.ErrValidation] == 0 {
		t.Errorf("no file was refused: %v", counts)
	}
	t.Logf("outcomes: %v", counts)
}
