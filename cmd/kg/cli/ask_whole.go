package cli

import (
	"fmt"

	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// shownRows is how many rows of a list a table shows; --full and JSON have all.
const shownRows = 40

// printListing prints the whole list or table that the first passage is a part of.
func (a *App) printListing(l *questions.AskListing, full bool) {
	if l == nil || len(l.Rows) == 0 {
		return
	}
	p := a.paint(a.out)
	place := show.OneLine(l.Filename)
	if l.Section != nil {
		place += ", " + show.OneLine(*l.Section)
	}
	fmt.Fprintf(a.out, "\n%s  %s\n", p.Bold("All "+show.Counted(len(l.Rows), "row")), p.Dim(place+fmt.Sprintf(", bytes %d–%d", l.Start, l.End)))
	shown := len(l.Rows)
	if !full {
		shown = min(shown, shownRows)
	}
	for _, r := range l.Rows[:shown] {
		line := show.OneLine(r.Text)
		if l.Class == string(corpus.ClassTable) {
			line = row(l.Columns, corpus.TableCells(line))
		}
		fmt.Fprintln(a.out, show.Wrap(unlinked(line), a.Out().Width(), "   ", "     "))
	}
	if shown < len(l.Rows) {
		a.note("%d more rows: --full", len(l.Rows)-shown)
	}
	if l.Truncated {
		a.note("The list is longer: these are its first rows.")
	}
}

// printPaths prints how two concepts are connected, with the sentences of each step.
func (a *App) printPaths(paths []questions.Path) {
	if len(paths) == 0 {
		return
	}
	fmt.Fprintf(a.out, "\n%s\n", a.paint(a.out).Bold("Connected over"))
	for _, path := range paths {
		fmt.Fprintln(a.out, show.Wrap(show.Path(path), a.Out().Width(), "   ", "     "))
		for n, list := range path.Evidence {
			if len(path.Evidence) > 1 {
				fmt.Fprintln(a.out, a.paint(a.out).Dim(show.Wrap(show.Step(path, n), a.Out().Width(), "     ", "       ")))
			}
			a.writeStatements(list, "       ")
		}
	}
}
