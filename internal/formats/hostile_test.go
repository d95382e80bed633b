package formats

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgtest"
)

const (
	hostileMemory = 1 << 30 // that reading one may take
	hostileHTML   = min(maxHTMLBytes, hostileBytes)
	hostileTime   = 10 * time.Minute
)

// hostileDocuments are documents that are made to take long, or much memory, by format.
func hostileDocuments() map[string]map[string]string {
	fill := func(unit string) string { return strings.Repeat(unit, hostileBytes/len(unit)) }
	half := strings.Repeat("a", hostileBytes/2)
	return map[string]map[string]string{
		"a.txt": {
			"one word": fill("melt"), "one letter a line": fill("a\n"), "form feeds": fill("a\f"), "no-break spaces": "a" + fill("\u00a0"),
			"combining marks": "a" + fill("\u0301"), "zeros": "a" + fill("\x00"), "UTF-16 without an end": wide(strings.Repeat("melt", hostileBytes/8), binary.LittleEndian, "\xff\xfe") + "x",
			"half characters": fill("\xe2\x82"), "UTF-16 surrogates": "\xff\xfe" + fill("\x00\xd8"), "Latin-1": fill("caf\xe9 "),
		},
		"a.md": {
			"headings": fill("# a\n"), "deep headings": fill("###### a\n"), "a heading without an end": "# " + fill("a"), "quotes": fill("> "), "lists": fill("- "),
			"a fence without an end": "```\n" + fill("a b\n"), "fences": fill("```\n"), "tables": fill("|a|b\n|-|-\n"),
		},
		"a.csv": {
			"one cell": "a,b\n" + fill("melt"), "an open quote": "a,b\n\"" + fill("a,b\n"), "a wide row": fill("a,") + "\n" + "1,2\n",
			"many rows": "a,b\n" + fill("1,2\n"), "a long name": half + ",b\n" + strings.Repeat("1,2\n", 100_000), "quotes": "a,b\n" + fill("\"\"\"\","),
		},
		"a.json": {
			"one string": `{"a": "` + fill("melt") + `"}`, "arrays": strings.Repeat("[", hostileBytes/2) + strings.Repeat("]", hostileBytes/2), "objects": strings.Repeat(`{"a":`, hostileBytes/48) + "1" + strings.Repeat("}", hostileBytes/48),
			"a number": fill("9"), "escapes": `["` + fill(`\u0041`) + `"]`, "names": `{"` + half + `": [` + strings.Repeat("1,", 1000) + "1]}", "lines": fill("{\"a\": 1}\n"), "an open string": `{"a": "` + fill("a"),
		},
		"a.go": {
			"a comment without an end": "package a\n/*" + strings.Repeat("a\n", hostileBytes/48), "braces": "package a\n" + strings.Repeat("{", sourceBytes), "quotes": "package a\n" + strings.Repeat("`", sourceBytes),
			"functions": "package a\n" + strings.Repeat("func a() {\n", sourceBytes/16), "longer than is read": "package a\n// " + fill("a "),
		},
		"a.js": {
			"one line": "import a from 'a';\nfunction b() { return 1; }\n" + strings.Repeat("a(b, /c/, `${d}`);", sourceBytes/17), "a template without an end": "import a from 'a';\nfunction b() {\nvar b = `" + strings.Repeat("${", sourceBytes/2),
		},
		"a.py":  {"a string without an end": "import a\ndef b():\n    \"\"\"" + strings.Repeat("import a\n", sourceBytes/10), "an open bracket": "import a\ndef b():\n    return [" + strings.Repeat("'a',", sourceBytes/4)},
		"a.log": {"lines": fill("2026-01-31 12:00:00 INFO a\n"), "one line": strings.Repeat("2026-01-31 12:00:00 INFO a\n", 20) + fill("a")},
		"a.eml": {
			"one word": mailOf("\n" + fill("melt")), "header lines": strings.Replace(mailOf("\nIt melts."), "Subject:", "X: "+strings.Repeat("a\n b", hostileBytes/12)+"\nSubject:", 1),
			"base64":        mailOf("Content-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString([]byte(half))),
			"wrong charset": mailOf("Content-Type: text/plain; charset=utf-16\n\n" + fill("\xd8")), "a boundary": mailOf("Content-Type: multipart/mixed; boundary=" + strings.Repeat("b", hostileBytes/48) + "\n\n" + fill("--b\n")),
			"addresses": "From: " + strings.Repeat("a@b,", hostileBytes/48) + "a@b\n" + mailOf("\nIt melts."),
		},
		"a.html": {
			"in parts of tags": "<html>" + strings.Repeat("<", hostileHTML-10), "entities": "<html>" + strings.Repeat("&lt;", hostileHTML/4-10), "a comment without an end": "<html><!--" + strings.Repeat("-", hostileHTML-20),
			"a script without an end": "<html><script>" + strings.Repeat("a", hostileHTML-20), "bytes that are none": "<html><meta charset=utf-8>" + strings.Repeat("\xff", hostileHTML-40),
			"tables in tables": "<html>" + strings.Repeat("<table><tr><td>", min(500_000, hostileBytes/16)), "forms": "<html>" + strings.Repeat("<form><b><a>", min(500_000, hostileBytes/16)),
		},
	}
}

// TestHostile_Slow reads documents of every format of text that are made to take long: each
// ends, with its text or a refusal, in bounded time and memory. KG_TEST_SLOW=1 without -race
// reads the large ones.
func TestHostile_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	for name, documents := range hostileDocuments() {
		for kind, body := range documents {
			t.Run(name+"/"+kind, func(t *testing.T) { readHostile(t, body, name) })
		}
	}
}

// readHostile reads a document as a server does.
func readHostile(t *testing.T, body, name string) {
	t.Helper()
	most, began := watchMemory(t), time.Now()
	r := NewReader()
	format, err := r.Recognise([]byte(body), name, "")
	var d corpus.DocumentText
	if err == nil {
		d, err = r.Text(t.Context(), []byte(body), format)
	}
	if err != nil && kappa.ErrorCode(err) != kappa.CodeMalformed && kappa.ErrorCode(err) != kappa.CodeUnsupported {
		t.Errorf("got %v", err)
	}
	if err != nil && (kappa.ErrorMessage(err) == "" || len(kappa.ErrorMessage(err)) > 1000) {
		t.Errorf("the message is %.1000q", kappa.ErrorMessage(err))
	}
	if err == nil && len(d.Text) > maxTextBytes {
		t.Errorf("%d bytes became %d", len(body), len(d.Text))
	}
	took, held := time.Since(began), most()
	t.Logf("%s: %d MB in, %d MB out, %v, %d MB held: %.150v", format, len(body)>>20, len(d.Text)>>20, took.Round(time.Millisecond), held>>20, err)
	if took > hostileTime || held > hostileMemory {
		t.Errorf("it took %v and %d MB", took, held>>20)
	}
}

// watchMemory returns what says how much more memory was in use at most since. Garbage is
// collected so that it does not count where the memory comes near to what is allowed.
func watchMemory(t *testing.T) (most func() uint64) {
	t.Helper()
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	runtime.GC()
	limit := debug.SetMemoryLimit(hostileMemory / 4 * 3)
	before, peak := heap(), uint64(0)
	ctx, stop := context.WithCancel(t.Context())
	var watch sync.WaitGroup
	watch.Go(func() {
		for ctx.Err() == nil {
			peak = max(peak, heap())
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
	return func() uint64 {
		debug.SetMemoryLimit(limit)
		stop()
		watch.Wait()
		peak = max(peak, heap())
		return peak - min(before, peak)
	}
}

// TestArchiveOfAGigabyte_Slow has archives that hold a gigabyte of one word, or less of it
// under the race detector.
func TestArchiveOfAGigabyte_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	most := watchMemory(t)
	testBombs(t, archiveBytes)
	if held := most(); held > hostileMemory {
		t.Errorf("they took %d MB", held>>20)
	}
}
