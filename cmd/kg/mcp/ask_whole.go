package mcp

import "github.com/kappagraph/kappa/knowledge/questions"

// listing writes the whole list or table that the first passage is a part of.
func (t *text) listing(l *questions.AskListing) {
	if l == nil || len(l.Rows) == 0 {
		return
	}
	t.line("All %d rows of it, bytes %d-%d:", len(l.Rows), l.Start, l.End)
	for _, r := range l.Rows {
		t.line("  %s", quoted(r.Text))
	}
	if l.Truncated {
		t.line("The list is longer: these are its first rows.")
	}
}

// paths writes paths between two concepts, with the sentences of each step.
func (t *text) paths(paths []questions.Path) {
	for _, p := range paths {
		t.line("%s: %s", count(p.Hops, "relationship"), t.pathLine(p))
		for i, evidence := range p.Evidence {
			t.line("  %s", stepLine(p, i))
			t.stated(evidence)
		}
	}
}
