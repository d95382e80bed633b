package main

import (
	"encoding/json"
	"fmt"
	"io"
)

// notAnnotated stands where a set has nothing to measure against.
const notAnnotated = "not annotated"

// printJSON prints the figures as one JSON list.
func printJSON(w io.Writer, reports []report) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	if err := enc.Encode(reports); err != nil {
		return fmt.Errorf("print the figures: %w", err)
	}
	return nil
}

// printReports prints the figures for a reader.
func printReports(w io.Writer, reports []report, verbose bool) {
	for _, r := range reports {
		fmt.Fprintf(w, "%s: %d documents, %d words, %d concepts\n", r.Set, r.Documents, r.Words, r.Concepts)
		for _, line := range r.lines() {
			fmt.Fprintf(w, "  %-20s %s\n", line[0], line[1])
		}
		if len(r.Styles) > 0 {
			printStyles(w, r.Styles)
		}
		if verbose {
			for _, n := range r.Notes {
				fmt.Fprintf(w, "  - %s\n", n)
			}
		}
	}
}

// lines are the figures of a set, each with its name.
func (r report) lines() [][2]string {
	return [][2]string{
		{"keyphrases at 10", r.orNot(r.KeyphraseF, "F %s (precision %s, recall %s; mean of the documents %s)",
			r.KeyphraseF, r.KeyphrasePrecision, r.KeyphraseRecall, r.KeyphraseMacroF)},
		{"keyphrases at 5", r.orNot(r.KeyphraseF, "F %s; of those in the text F@5 %s, F@10 %s", r.KeyphraseF5, r.PresentF5, r.PresentF)},
		{"all concepts", r.orNot(r.NamedRecall, "recall %s of %d; of those in the text %s", r.NamedRecall, r.Named, r.PresentRecall)},
		{"entities", r.orNot(r.EntityRecall, "recall %s of %d", r.EntityRecall, r.Entities)},
		{"relationships", r.orNot(r.Recall, "precision %s of %d typed, recall %s of %d", r.Precision, r.Judged, r.Recall, r.Gold)},
		{"  with exact ends", r.orNot(r.ExactRecall, "precision %s, recall %s", r.ExactPrecision, r.ExactRecall)},
		{"  denied statements", r.orNot(r.Violations, "%d of %d found", r.Violated, r.Denied)},
		{"only RELATED_TO", fmt.Sprintf("%s of %d relationships, %s of those shown", r.RelatedShare, r.Related+r.Typed, r.RelatedShown)},
		{"unrelated concepts", fmt.Sprintf("%s; without a relationship that is shown %s, without a typed one %s", r.Alone, r.AloneShown, r.AloneOfTyped)},
		{"inexact quotes", fmt.Sprint(r.InexactQuotes)},
		{"speed", fmt.Sprintf("%.0f words/s", r.WordsPerSecond)},
	}
}

// orNot writes a line when its figure was measured.
func (r report) orNot(f figure, format string, args ...any) string {
	if !f.measured {
		return notAnnotated
	}
	return fmt.Sprintf(format, args...)
}

// printStyles prints a table with a row for each style.
func printStyles(w io.Writer, styles []report) {
	fmt.Fprintf(w, "  %-16s %5s %6s %6s %6s %8s %13s %13s %7s\n",
		"style", "F@10", "conc.", "entit.", "typed", "prec.", "prec. exact", "recall exact", "denied")
	for _, r := range styles {
		fmt.Fprintf(w, "  %-16s %5s %6s %6s %6d %8s %13s %13s %3d of %d\n",
			r.Style, r.KeyphraseF, r.NamedRecall, r.EntityRecall, r.Judged, r.Precision, r.ExactPrecision, r.ExactRecall, r.Violated, r.Denied)
	}
}
