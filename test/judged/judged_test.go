package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write writes a file in a folder and returns its path.
func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDraw draws from two kinds of texts, twice the same, and takes the verdicts that are known.
func TestDraw(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "docs/readme", "A lexer is a program. Moraines consist of rock. Methane is released by permafrost.\n")
	write(t, dir, "test.conllu", "# newdoc id = email-one\n# text = Mara Kessel founded the Graz Museum.\n1\tMara\n# newdoc id = weblog-two\n# text = Ida Blom founded the Oslo Museum.\n")
	draws := func(o options) string {
		var b strings.Builder
		if err := draw(t.Context(), o, &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	o := options{data: dir, number: 2, seed: "a"}
	got := draws(o)
	if got != draws(o) {
		t.Error("the second draw is another one")
	}
	if !strings.Contains(got, "e-mail, newsgroups\temail-one\t") || !strings.Contains(got, "\tMara Kessel\tFOUNDED\tGraz Museum\t") || !strings.Contains(got, "weblog\tweblog-two\t") {
		t.Errorf("drawn of the mail:\n%s", got)
	}
	if n := strings.Count(got, "\ntechnical manual\t") + strings.Count("\n"+got, "# technical manual\t"); n != 2 {
		t.Errorf("%d of the documentation are drawn, want 2:\n%s", n, got)
	}
	var judged []string
	for line := range strings.Lines(got) {
		if !strings.HasPrefix(line, "#") {
			judged = append(judged, strings.TrimSpace(line)+"\tdoubtful\n")
		}
	}
	o.known = write(t, dir, "known.tsv", strings.Join(judged, ""))
	if again := draws(o); strings.Count(again, "\tdoubtful\n") != len(judged) {
		t.Errorf("the verdicts are not taken:\n%s", again)
	}
	if rest := draws(options{data: dir, number: 5, seed: "a", except: o.known}); strings.Contains(rest, "Mara Kessel") || !strings.Contains(rest, "technical manual\t") {
		t.Errorf("what was seen is drawn, or nothing else:\n%s", rest)
	}
	if err := draw(t.Context(), options{data: t.TempDir()}, &strings.Builder{}); err == nil {
		t.Error("a folder without texts was drawn from")
	}
}

// TestPrintTable counts verdicts.
func TestPrintTable(t *testing.T) {
	path := write(t, t.TempDir(), "some.tsv", "# a comment\nlaw\tgpl\tab\tX\tUSES\tY\t0.90\ttrue\nlaw\tgpl\tab\tX\tUSES\tZ\t0.75\tfalse\nreviews\tr\tab\tX\tUSES\tZ\t0.75\tfalse\nreviews\tr\tab\tX\tUSES\tW\t0.75\tdoubtful\n")
	list, err := readJudged(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	printTable(&b, path, list)
	for _, want := range []string{"all                       4  true  25 %  doubtful  25 %  false  50 %", "law                       2  true  50 %", "confidence 0.7            3  true   0 %  doubtful  33 %  false  67 %"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

// TestBadFiles reads what was not judged.
func TestBadFiles(t *testing.T) {
	for _, content := range []string{"law\tgpl\n", "law\tgpl\tab\tX\tUSES\tY\thigh\ttrue\n", "law\tgpl\tab\tX\tUSES\tY\t0.90\t\n"} {
		if _, err := readJudged(write(t, t.TempDir(), "some.tsv", content)); err == nil {
			t.Errorf("%q was read", content)
		}
	}
	if err := run(t.Context(), options{}, nil); err == nil {
		t.Error("nothing was counted without an error")
	}
}
