package work_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/work"
)

// noCounts are the counters that a job shows which counts nothing.
const noCounts = `"chunks_total":0,"chunks_processed":0,"current_chunk":0,"sources_created":0,"concepts_created":0,` +
	`"concepts_linked":0,"instances_created":0,"relationships_created":0`

// TestProgressJSON holds the form in which progress is stored and sent. It is that of
// the servers before, but for the fraction of a percentage.
func TestProgressJSON(t *testing.T) {
	ingestion := work.IngestionProgress{ChunksTotal: 8, ChunksProcessed: 4, CurrentChunk: 4, Counts: corpus.Counts{
		SourcesCreated: 4, ConceptsCreated: 20, ConceptsLinked: 3, InstancesCreated: 31, RelationshipsCreated: 7,
	}}
	for name, c := range map[string]struct {
		progress work.Progress
		want     string
	}{
		"nothing": {work.Progress{}, `{"stage":"","percent":0,` + noCounts + `}`},
		"an ingestion": {
			work.Progress{Stage: "extracting", Percent: 50, Counters: ingestion.Counters()},
			`{"stage":"extracting","percent":50,"chunks_total":8,"chunks_processed":4,"current_chunk":4,"sources_created":4,` +
				`"concepts_created":20,"concepts_linked":3,"instances_created":31,"relationships_created":7}`,
		},
		"items": {
			work.Progress{Stage: "sleeping", Percent: 33, ItemsTotal: 6, ItemsProcessed: 2},
			`{"stage":"sleeping","percent":33,` + noCounts + `,"items_total":6,"items_processed":2}`,
		},
		"words of another alphabet": {
			work.Progress{Stage: "a\"<b>", Percent: 1, Message: "m & n"},
			`{"stage":"a\"\u003cb\u003e","percent":1,` + noCounts + `,"message":"m \u0026 n"}`,
		},
		"a counter of its own": {
			work.Progress{Stage: "s", Counters: work.Counters{{Name: "pairs", Value: 3}, {Name: "chunks_total", Value: 1}}},
			`{"stage":"s","percent":0,"chunks_total":1,` + noCounts[len(`"chunks_total":0,`):] + `,"pairs":3}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := json.Marshal(c.progress)
			if err != nil || string(got) != c.want {
				t.Errorf("%v\n%s, want\n%s", err, got, c.want)
			}
			var read, again work.Progress
			if err := json.Unmarshal(got, &read); err != nil {
				t.Fatal(err)
			}
			text, _ := json.Marshal(read)
			if err := json.Unmarshal(text, &again); err != nil || string(text) != c.want || !reflect.DeepEqual(again, read) {
				t.Errorf("read and written again it is %s: %v", text, err)
			}
			if was, is := work.ReadIngestionProgress(c.progress.Counters), work.ReadIngestionProgress(read.Counters); was != is {
				t.Errorf("an ingestion's counters are %+v, were %+v", is, was)
			}
		})
	}
}

// TestProgressOfOlderServers reads what servers stored that showed fractions, as
// PostgreSQL orders it.
func TestProgressOfOlderServers(t *testing.T) {
	const stored = `{"stage": "extracting", "percent": 99.99999999999999, "chunks_total": 7, "current_chunk": 6, "concepts_linked": 2}`
	var p work.Progress
	if err := json.Unmarshal([]byte(stored), &p); err != nil || p.Percent != 99 || p.Stage != "extracting" ||
		p.Counters.Value("chunks_total") != 7 || p.Counters.Value("concepts_linked") != 2 {
		t.Errorf("read %+v, %v", p, err)
	}
	for text, want := range map[string]string{
		`{"stage": "s", "percent": 33.333333333333336}`: `{"stage":"s","percent":33,` + noCounts + `}`,
		`{"percent": 5e1, "stage": "s"}`:                `{"stage":"s","percent":50,` + noCounts + `}`,
		`{"stage": "s", "percent": 50}`:                 `{"stage": "s", "percent": 50}`, // as it is
		`{"stage": "1.5"}`:                              `{"stage": "1.5"}`,
		`{"percent": 1.5, "stage": 2}`:                  `{"percent": 1.5, "stage": 2}`, // not ours to mend
	} {
		e, err := work.StoredEvent(work.Event{JobID: "job_1", Seq: 3, Kind: work.EventProgress, Payload: json.RawMessage(text)})
		if err != nil || string(e.Payload) != want {
			t.Errorf("the event %s is sent as %s (%v), want %s", text, e.Payload, err, want)
		}
	}
}

func TestProgressThatIsNone(t *testing.T) {
	for _, text := range []string{``, `[]`, `7`, `{"percent":"x"}`, `{"stage":1}`, `{"stage":"s"`} {
		var p work.Progress
		if err := json.Unmarshal([]byte(text), &p); err == nil {
			t.Errorf("%q was read as %+v", text, p)
		}
	}
	p := &work.Progress{Stage: "s"}
	if err := json.Unmarshal([]byte(`null`), &p); err != nil || p != nil {
		t.Errorf("null is %+v, %v", p, err)
	}
}

func TestPercentDone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.IntRange(1, 100_000).Draw(t, "total")
		done := rapid.IntRange(0, total).Draw(t, "done")
		percent := work.PercentDone(done, total)
		if percent < 0 || (percent == 100) != (done == total) || done > 0 && percent < work.PercentDone(done-1, total) {
			t.Errorf("%d of %d is %d %%", done, total, percent)
		}
	})
	for _, c := range [][3]int{{1, 3, 33}, {2, 3, 66}, {0, 0, 0}, {7, 5, 100}, {-1, 5, 0}} {
		if got := work.PercentDone(c[0], c[1]); got != c[2] {
			t.Errorf("%d of %d is %d %%, want %d", c[0], c[1], got, c[2])
		}
	}
}
