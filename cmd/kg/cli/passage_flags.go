package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

// passageFlags are the flags that narrow the passages that are looked at.
type passageFlags struct {
	filter questions.AskFilter
	since  string
}

func (f *passageFlags) add(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.filter.Ontologies, "ontology", nil, "only documents of this ontology; may be given several times")
	flags.StringSliceVar(&f.filter.DocumentIDs, "document", nil, "only this document, by its id")
	flags.StringSliceVar(&f.filter.Kinds, "kind", nil, "only documents of this kind: "+strings.Join(corpus.Kinds(), ", "))
	flags.StringSliceVar(&f.filter.Languages, "language", nil, "only passages in this language, such as en")
	flags.StringSliceVar(&f.filter.Classes, "class", nil, "only passages of this class, such as prose, list, table or code")
	flags.StringVar(&f.since, "since", "", "only documents that were ingested since then: 2026-01-31, or an age such as 7d")
}

// read returns the filter that the flags are.
func (f *passageFlags) read() (filter questions.AskFilter, err error) {
	filter = f.filter
	if f.since != "" {
		filter.Since, err = sinceTime(f.since)
	}
	return filter, err
}

// sinceTime reads an instant, a day, or an age such as 7d.
func sinceTime(text string) (time.Time, error) {
	m, rule := work.ParseMoment(text)
	switch {
	case rule != "":
		return time.Time{}, fmt.Errorf("--since %s", rule)
	case m.Ago != 0:
		return time.Now().Add(-m.Ago), nil
	}
	return m.At.Time, nil
}
