package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// relationship is one that was drawn.
type relationship struct {
	kind, text         string // of what kind the text is, and which one
	sentence           string // a short hash of it
	from, relation, to string
	confidence         float64
	verdict            string // true, doubtful or false; empty before it was judged
	quote              string // not in files: the texts are of others
}

// id tells a relationship of a sentence from others.
func (r relationship) id() string {
	return strings.Join([]string{r.kind, r.text, r.sentence, r.from, r.relation, r.to}, "\t")
}

// row returns the line of a file.
func (r relationship) row() string {
	return fmt.Sprintf("%s\t%.2f\t%s", r.id(), r.confidence, r.verdict)
}

// verdicts are what a judge may say: what the sentence says is so, could be meant so, or is not so.
var verdicts = []string{"true", "doubtful", "false"}

// readJudged reads a file of rows. Lines that begin with # are none.
func readJudged(path string) ([]relationship, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	var out []relationship
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		if strings.HasPrefix(lines.Text(), "#") || lines.Text() == "" {
			continue
		}
		f := strings.Split(lines.Text(), "\t")
		if len(f) < 8 {
			return nil, fmt.Errorf("%s:%d: %d columns, want 8", path, n, len(f))
		}
		confidence, err := strconv.ParseFloat(f[6], 64)
		if err != nil || !slices.Contains(verdicts, f[7]) {
			return nil, fmt.Errorf("%s:%d: the confidence is %q and the verdict %q, which is none of %v", path, n, f[6], f[7], verdicts)
		}
		out = append(out, relationship{kind: f[0], text: f[1], sentence: f[2], from: f[3], relation: f[4], to: f[5], confidence: confidence, verdict: f[7]})
	}
	return out, lines.Err()
}

// counts are how many have each verdict.
type counts map[string]int

// line prints counts in percent.
func (c counts) line(w io.Writer, name string) {
	n := 0
	for _, v := range c {
		n += v
	}
	fmt.Fprintf(w, "  %-22s %4d", name, n)
	for _, v := range verdicts {
		fmt.Fprintf(w, "  %s %3.0f %%", v, 100*float64(c[v])/float64(max(n, 1)))
	}
	fmt.Fprintln(w)
}

// printTable prints how many of the relationships are true: all, by kind of text, by type and by confidence.
func printTable(w io.Writer, file string, list []relationship) {
	fmt.Fprintf(w, "%s\n", filepath.Base(file))
	all := counts{}
	groups := map[string]counts{}
	add := func(group, verdict string) {
		if groups[group] == nil {
			groups[group] = counts{}
		}
		groups[group][verdict]++
	}
	types := map[string]int{}
	for _, r := range list {
		types[r.relation]++
	}
	for _, r := range list {
		all[r.verdict]++
		add("1 "+r.kind, r.verdict)
		add("2 confidence "+tenth(r.confidence), r.verdict)
		if types[r.relation] >= 5 {
			add("3 "+r.relation, r.verdict)
		}
	}
	all.line(w, "all")
	for _, g := range slices.SortedFunc(maps.Keys(groups), cmp.Compare) {
		groups[g].line(w, g[2:])
	}
}

// tenth returns the tenth that a confidence is in.
func tenth(c float64) string { return fmt.Sprintf("%.1f", float64(int(c*10+1e-6))/10) }
