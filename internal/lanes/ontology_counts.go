package lanes

import (
	"context"
	"log/slog"
	"time"

	"github.com/kappagraph/kappa"
)

const ontologyCountsEvery = 10 * time.Second // what readers have to add up until then is little

// ontologyCountsStore is what an OntologyCounts asks; see postgres.RetentionStore.
type ontologyCountsStore interface {
	FoldOntologyCounts(ctx context.Context) (folded int, err error)
}

// OntologyCountsConfig is what an OntologyCounts works with.
type OntologyCountsConfig struct {
	Store ontologyCountsStore
	Log   *slog.Logger
}

// OntologyCounts folds what has changed into the counts of what the ontologies hold.
type OntologyCounts struct{ cfg OntologyCountsConfig }

// NewOntologyCounts returns an OntologyCounts; Run makes it fold.
func NewOntologyCounts(cfg OntologyCountsConfig) *OntologyCounts {
	kappa.Require(cfg)
	return &OntologyCounts{cfg}
}

// Run folds until ctx ends; it returns nil. The term is that of the leader, which has nobody
// to exclude here.
func (o *OntologyCounts) Run(ctx context.Context, _ int64) error {
	return kappa.Loop{Name: "folding the counts of the ontologies", Every: ontologyCountsEvery, Log: o.cfg.Log}.Run(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, pruneTimeout)
		defer cancel()
		_, err := o.cfg.Store.FoldOntologyCounts(ctx)
		return err
	})
}
