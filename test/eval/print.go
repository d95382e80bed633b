package main

import (
	"encoding/json"
	"fmt"
	"io"
)

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
		fmt.Fprintf(w, "  keyphrases at 10   F %.3f (precision %.3f, recall %.3f; mean of the documents %.3f)\n",
			r.KeyphraseF, r.KeyphrasePrecision, r.KeyphraseRecall, r.KeyphraseMacroF)
		if r.Entities > 0 {
			fmt.Fprintf(w, "  entities           recall %.3f of %d\n", r.EntityRecall, r.Entities)
		}
		if r.Typed > 0 {
			fmt.Fprintf(w, "  relationships      precision %.3f of %d typed, recall %.3f; %d more rest on co-occurrence\n",
				r.RelationshipPrecision, r.Typed, r.RelationshipRecall, r.Related)
		}
		fmt.Fprintf(w, "  inexact quotes     %d\n", r.InexactQuotes)
		fmt.Fprintf(w, "  speed              %.0f words/s\n", r.WordsPerSecond)
		if verbose {
			for _, n := range r.Notes {
				fmt.Fprintf(w, "  - %s\n", n)
			}
		}
	}
}
