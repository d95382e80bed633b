package export

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// rows is a graph of so many concepts, and of as many rows of each table.
type rows struct {
	n      int
	after  func(row int) // called after each row; may be nil
	failed error         // of evidence
}

func each[T any](r rows, add func(*T) error, set func(row *T, i int)) error {
	var row T
	for i := range r.n {
		set(&row, i)
		if err := add(&row); err != nil {
			return err
		}
		if r.after != nil {
			r.after(i)
		}
	}
	return nil
}

var began = time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC)

func (r rows) ConceptRows(_ context.Context, _ questions.TableSelection, add func(*questions.ConceptRow) error) error {
	return each(r, add, func(row *questions.ConceptRow, i int) {
		*row = questions.ConceptRow{ConceptID: fmt.Sprint("concept_", i), Label: fmt.Sprint("Concept ", i), SearchTerms: []string{fmt.Sprint("other ", i)}, Ontologies: []string{"demo"}, CreatedAt: began}
	})
}

func (r rows) RelationshipRows(_ context.Context, _ questions.TableSelection, add func(*questions.RelationshipRow) error) error {
	return each(r, add, func(row *questions.RelationshipRow, i int) {
		*row = questions.RelationshipRow{FromID: fmt.Sprint("concept_", i), ToID: fmt.Sprint("concept_", i+1), Type: "CAUSES", Confidence: 0.9, CreatedAt: began}
	})
}

func (r rows) EvidenceRows(_ context.Context, _ questions.TableSelection, add func(*questions.EvidenceRow) error) error {
	if r.failed != nil {
		return r.failed
	}
	return each(r, add, func(row *questions.EvidenceRow, i int) {
		*row = questions.EvidenceRow{ConceptID: fmt.Sprint("concept_", i), Quote: fmt.Sprint("A sentence that says something of concept ", i, strings.Repeat(" and more", i%20)), CreatedAt: began}
	})
}

func (r rows) DocumentRows(_ context.Context, _ questions.TableSelection, add func(*questions.DocumentRow) error) error {
	return each(r, add, func(row *questions.DocumentRow, i int) {
		*row = questions.DocumentRow{DocumentID: fmt.Sprint("sha256:", i), Ontology: "demo", Filename: "a.md", IngestedAt: began}
	})
}

func TestTables(t *testing.T) {
	about := About{Completeness: questions.Completeness{Missing: "there are more"}, Epoch: 7}
	var archive bytes.Buffer
	if err := Tables(t.Context(), &archive, about, rows{n: 3}, questions.TableSelection{}); err != nil {
		t.Fatal(err)
	}
	files, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files.File {
		names = append(names, f.Name)
		file, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(file)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name == "about.json" {
			var said struct {
				Complete bool
				Missing  string
				Epoch    int
			}
			if err := json.Unmarshal(content, &said); err != nil || said.Complete || said.Missing != "there are more" || said.Epoch != 7 {
				t.Errorf("about.json says %s, %v", content, err)
			}
			continue
		}
		if f.Method != zip.Store || !bytes.HasPrefix(content, []byte("PAR1")) || !bytes.Contains(content, []byte("kappa.epoch")) || !bytes.Contains(content, []byte("there are more")) {
			t.Errorf("%s is %q", f.Name, content)
		}
		var alone bytes.Buffer
		if err := Table(t.Context(), &alone, questions.GraphTable(strings.TrimSuffix(f.Name, ".parquet")), about, rows{n: 3}, questions.TableSelection{}); err != nil || !bytes.Equal(alone.Bytes(), content) {
			t.Errorf("%s alone is %q, %v", f.Name, alone.Bytes(), err)
		}
	}
	if got := strings.Join(names, " "); got != "concepts.parquet relationships.parquet evidence.parquet documents.parquet about.json" {
		t.Errorf("the archive has %s", got)
	}
}

// TestTablesThatFail: what the reader, or whatever is written to, fails with comes back.
func TestTablesThatFail(t *testing.T) {
	broken := errors.New("broken")
	if err := Tables(t.Context(), io.Discard, About{}, rows{n: 3, failed: broken}, questions.TableSelection{}); !errors.Is(err, broken) {
		t.Errorf("of the reader: %v", err)
	}
	for _, table := range append(questions.GraphTables(), "nothing") {
		if err := Table(t.Context(), refuses{broken}, table, About{}, rows{n: 3}, questions.TableSelection{}); !errors.Is(err, broken) {
			t.Errorf("%s: %v", table, err)
		}
	}
	if err := Table(t.Context(), io.Discard, "nothing", About{}, rows{}, questions.TableSelection{}); err == nil {
		t.Error("an unknown table is written")
	}
}

// refuses takes nothing.
type refuses struct{ err error }

func (w refuses) Write([]byte) (int, error) { return 0, w.err }

// TestTablesOfALargeGraph_Slow: a million concepts take no more memory than ten thousand do.
func TestTablesOfALargeGraph_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	most := func(n int) (most uint64) {
		written := counted{}
		err := Tables(t.Context(), &written, About{}, rows{n: n, after: func(row int) {
			if row%10_000 == 0 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
		}}, questions.TableSelection{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d rows of each table are %d MiB; at most %d MiB of memory were in use", n, written.bytes>>20, most>>20)
		return most
	}
	few, many := most(150_000), most(1_000_000)
	if many > few+few/2 {
		t.Errorf("%d MiB of memory for a million rows, and %d MiB for 150,000", many>>20, few>>20)
	}
}

// counted counts what is written.
type counted struct{ bytes int64 }

func (c *counted) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	return len(p), nil
}
