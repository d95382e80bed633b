package work_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

func TestSubmissionValidate(t *testing.T) {
	valid := func() work.Submission {
		return work.Submission{Ontology: " My notes/2026: ärztlich ", Filename: "a.md", ProcessingMode: work.ModeSerial}
	}
	s := valid()
	if err := s.Validate(); err != nil || s.Ontology != "My notes/2026: ärztlich" {
		t.Fatalf("got %q, %v", s.Ontology, err)
	}
	for name, change := range map[string]func(*work.Submission){
		"ontology: must not be empty":                   func(s *work.Submission) { s.Ontology = " \t " },
		"ontology: must have at most 200 characters":    func(s *work.Submission) { s.Ontology = strings.Repeat("ä", 201) },
		"ontology: must not contain control":            func(s *work.Submission) { s.Ontology = "a\x00b" },
		"ontology: must be valid UTF-8":                 func(s *work.Submission) { s.Ontology = "a\xffb" },
		"ontology: must not contain control characters": func(s *work.Submission) { s.Ontology = "a\u202eb" }, // reorders the text
		"filename: must not contain":                    func(s *work.Submission) { s.Filename = "a\nb" },
		"processing_mode: must be serial or parallel":   func(s *work.Submission) { s.ProcessingMode = "both" },
		"source_type: must be one of":                   func(s *work.Submission) { v := "fax"; s.SourceType = &v },
	} {
		t.Run(name, func(t *testing.T) {
			s := valid()
			change(&s)
			err := s.Validate()
			if kappa.ErrorCode(err) != kappa.CodeInvalid || !strings.Contains(kappa.ErrorMessage(err), name) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestCheckConceptID(t *testing.T) {
	for _, id := range []string{"a", "blackout_13", "sha256:Ab-9", strings.Repeat("x", 200)} {
		if err := knowledge.CheckConceptID("path", "id", id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
	for id, want := range map[string]string{
		"":                       "id: must not be empty",
		strings.Repeat("x", 201): "id: must have at most 200 characters, got 201",
		"a b":                    `got "a b"`, "a'b": "must consist of letters", "ä_1": "must consist of letters", "a_1\n": "must consist of letters",
		"a\x00": "must consist of letters", "a\xff": "must consist of letters", "a$1": "must consist of letters", "a/b": "must consist of letters",
	} {
		if err := knowledge.CheckConceptID("path", "id", id); kappa.ErrorCode(err) != kappa.CodeInvalid || !strings.Contains(kappa.ErrorMessage(err), want) {
			t.Errorf("%q: %v, want %s", id, err, want)
		}
	}
	bad := kappa.JoinInvalid(
		questions.RelatedQuery{ConceptID: "a'b", MaxDepth: 1}.Validate(), questions.ConnectQuery{FromID: "a'b", ToID: "b;c", MaxHops: 1}.Validate(),
	)
	for _, name := range []string{"concept_id: must consist", "from_id: must consist", "to_id: must consist"} {
		if !strings.Contains(kappa.ErrorMessage(bad), name) {
			t.Errorf("%v, want %s", bad, name)
		}
	}
}

func TestConceptSlug(t *testing.T) {
	for label, want := range map[string]string{
		"Worker Lane":               "worker-lane",
		"  PostgreSQL 15+ ":         "postgresql-15",
		"kg_api.worker_lanes":       "kg-api-worker-lanes",
		"日本語":                       "concept",
		"--":                        "concept",
		strings.Repeat("long ", 40): strings.TrimSuffix(strings.Repeat("long-", 12), "-"), // 60 characters at most
	} {
		if got := naming.ConceptSlug(label); got != want {
			t.Errorf("%q gives %q, want %q", label, got, want)
		}
	}
}

func TestTime(t *testing.T) {
	zone := time.FixedZone("", 2*3600)
	in := kappa.At(time.Date(2026, 1, 31, 10, 0, 0, 123_987_000, zone))
	raw, err := json.Marshal(struct{ A, B *kappa.Time }{&in, nil})
	if err != nil || string(raw) != `{"A":"2026-01-31T08:00:00.123Z","B":null}` {
		t.Fatalf("got %s, %v", raw, err)
	}
	var out struct{ A, B *kappa.Time }
	if err := json.Unmarshal(raw, &out); err != nil || out.A.String() != in.String() || out.B != nil {
		t.Errorf("read back as %+v, %v", out, err)
	}
	if err := json.Unmarshal([]byte(`{"A":"yesterday"}`), &out); err == nil {
		t.Error("a malformed time was accepted")
	}
}

// TestTimeOutOfRange shows what a database may hold and RFC 3339 has no form for.
func TestTimeOutOfRange(t *testing.T) {
	for want, at := range map[string]time.Time{
		"0001-01-01T00:00:00.000Z": time.Date(-43, 3, 15, 0, 0, 0, 0, time.UTC),
		"9999-12-31T23:59:59.999Z": time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("", -14*3600)),
		"9999-12-31T23:59:59.998Z": time.Date(9999, 12, 31, 23, 59, 59, 998e6, time.UTC),
		"0001-01-01T00:00:00.001Z": time.Date(1, 1, 1, 0, 0, 0, 1e6, time.UTC),
	} {
		raw, err := json.Marshal([]kappa.Time{kappa.At(at)})
		if err != nil || string(raw) != `["`+want+`"]` {
			t.Errorf("%v: got %s, %v, want %s", at, raw, err, want)
		}
		var back []kappa.Time
		if err := json.Unmarshal(raw, &back); err != nil {
			t.Errorf("%v: %v", at, err)
		}
	}
}

func TestRunAtIsBounded(t *testing.T) {
	for at, accepted := range map[string]bool{
		"1970-01-01T00:00:00Z": true, "1969-12-31T23:00:00-01:00": true, "1970-01-01T00:30:00+01:00": false,
		"9998-12-31T23:59:59Z": true, "9998-12-31T23:00:00-01:00": false, "9999-12-31T23:59:59-14:00": false, "0000-01-01T00:00:00Z": false,
	} {
		var run kappa.Time
		if err := run.UnmarshalText([]byte(at)); err != nil {
			t.Fatal(err)
		}
		err := work.NewJob{Type: "noop", Queue: "default", RunAt: &run}.Validate()
		if accepted != (err == nil) || err != nil && kappa.ErrorMessage(err) != "run_at: must be in the years 1970 to 9998, in UTC" {
			t.Errorf("%s: got %v", at, err)
		}
	}
}
