package formats

import (
	"context"
	"encoding/binary"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

// readNamed recognises a document with a name, and returns its text.
func readNamed(t *testing.T, body, name string) (corpus.ContentType, corpus.DocumentText) {
	t.Helper()
	r := NewReader()
	format, err := r.Recognise([]byte(body), name, "")
	if err != nil {
		t.Fatal(err)
	}
	d, err := r.Text(t.Context(), []byte(body), format)
	if err != nil {
		t.Fatal(err)
	}
	return format, d
}

func TestEncodings(t *testing.T) {
	for name, c := range map[string]struct{ body, text, warning string }{
		"UTF-16":       {wide("Water – 100 °C", binary.BigEndian, "\xfe\xff"), "Water – 100 °C", "Read as UTF-16"},
		"UTF-16LE":     {wide("Water boils.", binary.LittleEndian, ""), "Water boils.", "Read as UTF-16LE"},
		"UTF-32":       {"\xff\xfe\x00\x00W\x00\x00\x00", "W", "Read as UTF-32"},
		"Windows-1252": {german, strings.NewReplacer("\xdf", "ß", "\x96", "–", "\xfc", "ü").Replace(german), "Read as Windows-1252: it is not UTF-8, and decoded so it is German"},
		"UTF-8":        {byteOrderMark + "Wasser fließt.", byteOrderMark + "Wasser fließt.", ""},
		"lost spaces":  {strings.Repeat("glaciersareriversofice", 10), strings.Repeat("glaciersareriversofice", 10), "The text seems to have lost its spaces"},
	} {
		_, d := readNamed(t, c.body, "a.txt")
		if got := strings.Join(d.Warnings, "; "); d.Text != c.text || got != c.warning {
			t.Errorf("%s: got %q with %q, want %q with %q", name, d.Text, got, c.text, c.warning)
		}
	}
}

func TestCSV(t *testing.T) {
	format, d := readNamed(t, "Glacier;Country;Length (km)\r\nAletsch;\"Switzerland; Valais\";22,6\r\n;;\r\nBaltoro;Pakistan;\r\n", "a.csv")
	want := "Glacier: Aletsch; Country: Switzerland; Valais; Length (km): 22,6\n\nGlacier: Baltoro; Country: Pakistan"
	if format != corpus.ContentCSV || d.Text != want || len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0], "table (CSV)") {
		t.Errorf("got %s, %q with %q, want %q", format, d.Text, d.Warnings, want)
	}
	if _, d := readNamed(t, "Aletsch\t22\nBaltoro\t63\n", "a.tsv"); d.Text != "Aletsch; 22\n\nBaltoro; 63" {
		t.Errorf("without a header: got %q", d.Text)
	}
	if _, err := NewReader().Text(t.Context(), []byte(strings.Repeat(strings.Repeat("x", 90)+",", 100)+"y\n"+strings.Repeat(strings.Repeat("a,", 100)+"b\n", 1<<13)), corpus.ContentCSV); err == nil || !strings.Contains(kappa.ErrorMessage(err), "more than 64 MB") {
		t.Errorf("names of columns that make much of little: got %v", err)
	}
}

func TestJSON(t *testing.T) {
	_, d := readNamed(t, `{"title": "Glaciers", "createdBy": {"first_name": "Ada"}, "tags": ["ice", "snow"], "count": 2, "open": true, "none": null,
		"items": [{"name": "Aletsch", "text": "A river\nof ice."}, {"name": "Gorner"}]}`, "a.json")
	want := "title: Glaciers\nfirst name: Ada\n\ntags: ice\ntags: snow\ncount: 2\nopen: yes\nname: Aletsch\ntext: A river of ice.\n\nname: Gorner"
	if d.Text != want || !strings.Contains(d.Warnings[0], "It is JSON") {
		t.Errorf("got %q with %q, want %q", d.Text, d.Warnings, want)
	}
	if _, d := readNamed(t, "{\"a\": 1}\n{\"a\": \"ice\"}\n", "a.jsonl"); d.Text != "a: 1\n\na: ice" {
		t.Errorf("lines: got %q", d.Text)
	}
	if format, _ := readNamed(t, strings.Repeat("[", 1<<20), "a.json"); format != corpus.ContentPlain {
		t.Errorf("nested without end: got %s", format)
	}
	if _, d := readNamed(t, strings.Repeat("[", 5000)+`"deep"`+strings.Repeat("]", 5000), "a.json"); d.Text != "deep" {
		t.Errorf("deep: got %q", d.Text)
	}
}

func TestSource(t *testing.T) {
	const program = `// Package ice melts.
package ice

import "fmt"

// Glacier is a river of ice.
// It moves.
type Glacier struct{ length int } // in km

/*
 * Melt makes water of a glacier.
 */
func (g *Glacier) Melt() {
	// An unsaid thing.

	// A place.
	fmt.Println("// not a comment")
}
`
	format, d := readNamed(t, program, "ice.go")
	want := "Package ice melts.\n\n## Glacier\n\nGlacier is a river of ice.\nIt moves.\n\nin km\n\n## Melt\n\nMelt makes water of a glacier.\n\nAn unsaid thing.\n\nA place."
	if format.Language() != "Go" || d.Text != want || d.Markup != corpus.ContentMarkdown || !strings.Contains(d.Warnings[0], "source code (Go)") {
		t.Errorf("got %s, %q with %q, want %q", format, d.Text, d.Warnings, want)
	}
	for name, c := range map[string]struct {
		body string
		says []string
		not  string
	}{
		"a.py":   {"#!/usr/bin/python3\n\"\"\"Ice melts.\"\"\"\nimport os\n\nclass Glacier:\n    \"\"\"A river of ice.\"\"\"\n    def melt(self):\n        # slowly\n        return os.path\n", []string{"Ice melts.", "## Glacier\n\nA river of ice.", "## melt\n\nslowly"}, "path"},
		"a.js":   {"/** Melts ice. */\nexport function melt(ice) {\n  return ice + 1;\n}\nclass Glacier {}\n", []string{"## melt\n\nMelts ice.", "## Glacier"}, "return"},
		"a.rs":   {"/// A river of ice.\npub struct Glacier { km: u32 }\n\nimpl Glacier {\n    /// Melts.\n    pub fn melt(&self) {}\n}\n", []string{"## Glacier\n\nA river of ice.", "## melt\n\nMelts."}, "u32"},
		"a.java": {"package ice;\n/** A river of ice. */\npublic class Glacier {\n  /** Melts. */\n  public void melt() { run(); }\n}\n", []string{"## Glacier\n\nA river of ice.", "## melt\n\nMelts."}, "run"},
		"a.c":    {"#include <stdio.h>\n/* Melts ice. */\nint melt(int ice)\n{\n  return boil(ice);\n}\n", []string{"## melt\n\nMelts ice."}, "boil"},
		"a.sql":  {"-- The glaciers.\nCREATE TABLE glaciers (id int);\n", []string{"The glaciers."}, ""},
		"a.sh":   {"#!/bin/sh\n# Melts ice.\nmelt() {\n  rm ice\n}\n", []string{"Melts ice."}, "rm"},
	} {
		format, d := readNamed(t, c.body, name)
		if format.Base() != corpus.ContentSource || c.not != "" && strings.Contains(d.Text, c.not) {
			t.Errorf("%s: got %s and %q", name, format, d.Text)
		}
		for _, part := range c.says {
			if !strings.Contains(d.Text, part) {
				t.Errorf("%s: got %q, want %q in it", name, d.Text, part)
			}
		}
	}
}

// TestSourceOfMarks reads code between whose comments stand megabytes of marks, within a
// tenth of the time that a lexer needs for them one by one.
func TestSourceOfMarks(t *testing.T) {
	for _, unit := range []string{"{", "{}", "`", "\\", "\t{"} {
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		marks := strings.Repeat(unit, maxSourceBytes/len(unit)-100)
		d, err := readSource(ctx, "package a\n// It melts.\nvar _ = "+marks+"\n// It boils.\nfunc Boil() {}\n", "Go")
		stop()
		if err != nil || !strings.HasPrefix(d.Text, "It melts.") || unit != "`" && !strings.HasSuffix(d.Text, "## Boil\n\nIt boils.") {
			t.Errorf("%q: got %q and %v", unit, d.Text, err)
		}
	}
	for _, text := range []string{"a" + strings.Repeat("{", maxMarks) + "b", strings.Repeat("é", maxMarks), strings.Repeat("{\n", maxMarks)} {
		if got := shortenMarks(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got, want := shortenMarks("a"+strings.Repeat("{", maxMarks)+"}b\nc"), "a"+strings.Repeat("{", maxMarks/2)+strings.Repeat("{", maxMarks/2-1)+"}b\nc"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPlaces(t *testing.T) {
	text := "Before.\n# Setup\none\n## Install #\n```\n# not a heading\n```\ntwo\n### `kg` **now**\n#tag\n# Use\nthree"
	_, d := readNamed(t, text, "a.md")
	want := map[string]string{"Before": "", "one": "Setup", "two": "Setup > Install", "not a": "Setup > Install", "#tag": "Setup > Install > kg now", "three": "Use"}
	for word, section := range want {
		at := strings.Index(d.Text, word)
		got := ""
		if places := d.PlacesIn(corpus.Span{Start: at, End: at + 1}); len(places) > 0 {
			got = places[0].String()
		}
		if got != section {
			t.Errorf("%q is in %q, want %q", word, got, section)
		}
	}
	if places := d.PlacesIn(corpus.Span{Start: 0, End: len(text)}); len(places) != 4 {
		t.Errorf("the whole has %v", places)
	}
	_, d = readNamed(t, "first\fsecond\fthird", "a.txt")
	if want := []corpus.Place{{Start: 0, Page: 1}, {Start: 6, Page: 2}, {Start: 13, Page: 3}}; !reflect.DeepEqual(d.Places, want) {
		t.Errorf("form feeds: got %v, want %v", d.Places, want)
	}
	paged := joinPages([]string{"Ice\x00 melts.", "", "Snow falls."})
	if want := []corpus.Place{{Start: 0, Page: 1}, {Start: 12, Page: 3}}; !reflect.DeepEqual(paged.Places, want) || paged.Text[12:] != "Snow falls." {
		t.Errorf("pages: got %v of %q", paged.Places, paged.Text)
	}
	if !slices.Equal(paged.Warnings, []string{"Page 2 has no text layer: what is on it as a picture is not read"}) {
		t.Errorf("pages: got %q", paged.Warnings)
	}
}
