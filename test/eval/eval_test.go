package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/extract"
	"github.com/kappagraph/kappa/knowledge"
)

// evalRun runs the command and returns its exit code and output.
func evalRun(t *testing.T, args ...string) (int, string, string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// The floors are slightly under what the extractor reaches. Whoever lowers one
// says why.
func TestFiguresOnTheBuiltinSets(t *testing.T) {
	code, out, errs := evalRun(t, "-json")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	var reports []struct {
		Set       string
		Documents int
		Inexact   int     `json:"inexact_quotes"`
		Typed     int     `json:"typed_relationships"`
		F         float64 `json:"keyphrase_f_at_10"`
		Entities  float64 `json:"entity_recall"`
		Precision float64 `json:"relationship_precision"`
		Notes     []string
	}
	if err := json.Unmarshal([]byte(out), &reports); err != nil {
		t.Fatal(err)
	}
	floors := map[string]struct {
		keyphrases, entities, relationships float64
		documents, typed                    int
	}{
		setTextbook:        {0.59, 0.86, 0.85, 24, 40}, // the textbook sets list what a reader would name, not all that is true:
		setTextbookHeldout: {0.53, 0.78, 0.70, 12, 40}, // of the 18 that textbook does not list, 14 are true by a careful reading
		setDev:             {0.40, 0.85, 0.88, 20, 120},
		setHeldout:         {0.37, 0.80, 0.80, 20, 80},
	}
	if len(reports) != len(floors) {
		t.Fatalf("%d sets, want %d", len(reports), len(floors))
	}
	for _, r := range reports {
		floor := floors[r.Set]
		if details := len(r.Notes) > 0; details == heldOut(r.Set) {
			t.Errorf("%s: details are printed: %v", r.Set, details)
		}
		if r.Inexact != 0 {
			t.Errorf("%s: %d quotes are not the text at their span", r.Set, r.Inexact)
		}
		if r.F < floor.keyphrases {
			t.Errorf("%s: keyphrase F@10 is %.3f, want at least %.2f", r.Set, r.F, floor.keyphrases)
		}
		if r.Entities < floor.entities {
			t.Errorf("%s: entity recall is %.3f, want at least %.2f", r.Set, r.Entities, floor.entities)
		}
		if r.Precision < floor.relationships || r.Typed < floor.typed {
			t.Errorf("%s: relationship precision is %.3f of %d, want at least %.2f of %d", r.Set, r.Precision, r.Typed, floor.relationships, floor.typed)
		}
		if r.Documents < floor.documents {
			t.Errorf("%s: %d passages, want at least %d", r.Set, r.Documents, floor.documents)
		}
	}
}

func TestAnnotationsAreInTheText(t *testing.T) {
	for _, b := range builtinSets {
		s, err := readBuiltin(b.name)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range s.documents {
			text := stems(d.passage.Text)
			for _, names := range d.things() {
				if !present(text, names) {
					t.Errorf("%s: %q is not in the text", d.name, names)
				}
			}
			if d.style == "" {
				continue // of the textbook passages, some ends say in other words what the text means
			}
			for _, r := range d.relationships {
				if !present(text, r.from) || !present(text, r.to) {
					t.Errorf("%s: an end of %q – %q is not in the text", d.name, r.from, r.to)
				}
			}
		}
	}
}

func TestInspecFormats(t *testing.T) {
	for dir, want := range map[string][]string{
		"testdata/inspec": {"claim token", "job queues", "leases", "late writers"},
		"testdata/keys":   {"tidal power plants", "turbines", "tidal barrage"},
		"testdata/utf8":   {"café society", "salons"},
	} {
		s, err := readInspec(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(slices.Concat(s.documents[0].keyphrases...), "|"); got != strings.Join(want, "|") {
			t.Errorf("%s: keyphrases %q, want %q", dir, got, want)
		}
		code, out, errs := evalRun(t, "-inspec", dir, "-v")
		if code != 0 || !strings.Contains(out, "keyphrases at 10     F 0.") || strings.Contains(out, "F 0.000") || !strings.Contains(out, "relationships        not annotated") {
			t.Errorf("%s: exit code %d, output %q, errors %q", dir, code, out, errs)
		}
	}
}

func TestRedocredFormat(t *testing.T) {
	s, err := readRedocred("testdata/redocred")
	if err != nil {
		t.Fatal(err)
	}
	d := s.documents[0]
	want := "Fridtjof Nansen was a Norwegian explorer. Nansen crossed Greenland in 1888 and later worked for the League of Nations."
	if d.passage.Text != want {
		t.Errorf("text %q, want %q", d.passage.Text, want)
	}
	if len(d.entities) != 3 || len(d.relationships) != 1 {
		t.Errorf("%d entities and %d relationships, want 3 and 1: times are left out", len(d.entities), len(d.relationships))
	}
	code, out, errs := evalRun(t, "-redocred", "testdata/redocred/dev.json")
	if code != 0 || !strings.Contains(out, "recall 1.000 of 3") {
		t.Errorf("exit code %d, output %q, errors %q", code, out, errs)
	}
}

// TestWritten joins tokens as people write them.
func TestWritten(t *testing.T) {
	got := written(strings.Fields("Anne - Marie 's brother ( I 'm told ) can not sing , can he ?"))
	if want := "Anne-Marie's brother (I'm told) can not sing, can he?"; got != want {
		t.Errorf("written %q, want %q", got, want)
	}
}

func TestWrongUse(t *testing.T) {
	lonely := filepath.Join(t.TempDir(), "1.abstr")
	if err := os.WriteFile(lonely, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		says string
	}{
		{[]string{"-inspec", "testdata/nowhere"}, "no such file"},
		{[]string{"-inspec", "testdata/redocred"}, "no *.abstr or *.txt"},
		{[]string{"-inspec", filepath.Dir(lonely)}, "has no keyphrases"},
		{[]string{"-redocred", "testdata/nowhere"}, "no such file"},
		{[]string{"-redocred", "testdata/keys"}, "no *.json"},
		{[]string{"-redocred", "testdata/broken"}, "not a list of Re-DocRED documents"},
		{[]string{"-show", "testdata/nowhere"}, "no such file"},
		{[]string{"-set", "all"}, "there are textbook, textbook-heldout, dev, heldout"},
		{[]string{"-unknown"}, "not defined"},
		{[]string{"more"}, "unexpected argument"},
	} {
		code, _, errs := evalRun(t, tt.args...)
		if code != 2 || !strings.Contains(errs, tt.says) {
			t.Errorf("%v: exit code %d with %q, want 2 with %q", tt.args, code, errs, tt.says)
		}
	}
}

func TestShow(t *testing.T) {
	code, out, _ := evalRun(t, "-show", "testdata/keys/a.txt")
	if code != 0 || !strings.Contains(out, "tidal barrage") {
		t.Errorf("exit code %d, output %q", code, out)
	}
}

func TestTriplesMatch(t *testing.T) {
	gold := triple{from: []string{"camera"}, to: []string{"aperture"}, fits: []fit{{typ: "HAS_PART"}}}
	for _, tt := range []struct {
		from, typ, to string
		want          bool
	}{
		{"camera", "HAS_PART", "aperture", true},
		{"cameras", "COMPOSED_OF", "wide aperture", true},
		{"aperture", "PART_OF", "camera", true},
		{"aperture", "HAS_PART", "camera", false},
		{"camera", "REQUIRES", "aperture", false},
		{"camera bag", "HAS_PART", "aperture", false},
	} {
		if got := gold.states([]string{tt.from}, []string{tt.to}, tt.typ, leniently); got != tt.want {
			t.Errorf("%s %s %s: %v, want %v", tt.from, tt.typ, tt.to, got, tt.want)
		}
	}
}

func TestInexactQuotesAreCounted(t *testing.T) {
	l, err := extract.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	s, err := readBuiltin(setTextbook)
	if err != nil {
		t.Fatal(err)
	}
	d := s.documents[0]
	e, err := l.Extract(t.Context(), d.passage)
	if err != nil {
		t.Fatal(err)
	}
	e.Instances[0].Span.Start++
	if m := measure(d, e, false); m.inexact != 1 {
		t.Errorf("%d inexact quotes, want 1", m.inexact)
	}
}

// Real texts have what no annotated passage has. The pages of the documentation are read
// without a failure, each quote is the text at its place, and each gives concepts.
func TestTheDocumentationIsRead(t *testing.T) {
	l, err := extract.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 15 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(page), func(t *testing.T) {
			defer func() {
				if failure := recover(); failure != nil {
					t.Errorf("the extractor fails: %v", failure)
				}
			}()
			passage := knowledge.Passage{Text: string(text), ContentType: corpus.ContentMarkdown}
			e, err := l.Extract(t.Context(), passage)
			if err != nil {
				t.Fatal(err)
			}
			m := measure(document{name: page, passage: passage}, e, false)
			if m.inexact > 0 || m.concepts < 10 {
				t.Errorf("%d inexact quotes, %d concepts", m.inexact, m.concepts)
			}
		})
	}
}
