package http

import (
	"context"
	"time"

	"github.com/kappagraph/kappa"
)

// inventory tells what the graph holds.
type inventory interface {
	Ontologies(ctx context.Context) ([]kappa.Ontology, error)
	Stats(ctx context.Context) (kappa.GraphStats, error)
	Epoch(ctx context.Context) (int64, error)
	// StrongestConcepts returns the concepts that f selects, and how many there
	// are in all.
	StrongestConcepts(ctx context.Context, f kappa.ConceptFilter) (concepts []kappa.ConceptHit, total int, err error)
}

type ontologyList struct {
	Count      int              `json:"count"`
	Ontologies []kappa.Ontology `json:"ontologies"`
}

type epochReport struct {
	Epoch int64 `json:"epoch" doc:"Grows with every change of the graph"`
}

// databaseHealth is how the database is. Each check is "ok" or "failed".
type databaseHealth struct {
	Status     string            `json:"status" doc:"healthy, degraded or unhealthy"`
	Responsive bool              `json:"responsive"`
	Checks     map[string]string `json:"checks"`
	Error      string            `json:"error,omitempty"`
}

type conceptListInput struct {
	Ontology string `query:"ontology" doc:"Only concepts with a source in it"`
	Sort     string `query:"sort" default:"evidence" doc:"Only evidence, the number of quotes, for now"`
	Limit    int    `query:"limit" default:"20" doc:"1 to 100"`
	Offset   int    `query:"offset" default:"0"`
}

type conceptList struct {
	Concepts []kappa.ConceptHit `json:"concepts"`
	Total    int                `json:"total"`
}

func (s *Server) registerGraph(r *Router) {
	Register(r, Route{Method: "GET", Path: "/ontology/", Permission: kappa.OntologiesRead, ID: "graph.ontologies", Summary: "List the ontologies"},
		func(ctx context.Context, _ *struct{}) (ontologyList, error) {
			list, err := s.cfg.Inventory.Ontologies(ctx)
			return ontologyList{Count: len(list), Ontologies: notNil(list)}, err
		})
	Register(r, Route{Method: "GET", Path: "/concepts", Permission: kappa.GraphRead, ID: "graph.concepts", Summary: "List the concepts with the most evidence"}, s.strongestConcepts)
	Register(r, Route{Method: "GET", Path: "/database/stats", Permission: kappa.DatabaseRead, ID: "graph.stats", Summary: "Count what the graph holds"},
		func(ctx context.Context, _ *struct{}) (kappa.GraphStats, error) { return s.cfg.Inventory.Stats(ctx) })
	Register(r, Route{Method: "GET", Path: "/database/epoch", Permission: kappa.AnyUser, ID: "graph.epoch", Summary: "Show how often the graph has changed"},
		func(ctx context.Context, _ *struct{}) (epochReport, error) {
			epoch, err := s.cfg.Inventory.Epoch(ctx)
			return epochReport{Epoch: epoch}, err
		})
	Register(r, Route{Method: "GET", Path: "/database/health", Permission: kappa.AnyUser, ID: "graph.database-health", Summary: "How the database is"}, s.databaseHealth)
}

func (s *Server) strongestConcepts(ctx context.Context, in *conceptListInput) (conceptList, error) {
	filter := kappa.ConceptFilter{Ontology: in.Ontology, Limit: in.Limit, Offset: in.Offset}
	if err := filter.Validate(); err != nil {
		return conceptList{}, err
	}
	if in.Sort != "evidence" {
		return conceptList{}, kappa.Invalid(kappa.FieldError{In: "query", Name: "sort", Rule: "must be evidence"})
	}
	concepts, total, err := s.cfg.Inventory.StrongestConcepts(ctx, filter)
	return conceptList{Concepts: notNil(concepts), Total: total}, err
}

// databaseHealth looks at the database now. It answers within probeTimeout,
// however the database is.
func (s *Server) databaseHealth(ctx context.Context, _ *struct{}) (databaseHealth, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	started := time.Now()
	out := databaseHealth{Status: "healthy", Responsive: true, Checks: map[string]string{"connection": "ok", "graph": "ok"}}
	if _, err := s.cfg.Inventory.Epoch(ctx); err != nil {
		out.Status, out.Checks["graph"], out.Error = "degraded", "failed", "the graph cannot be read"
	}
	if err := s.cfg.Health.Ping(ctx); err != nil {
		out.Status, out.Checks["connection"], out.Error = "unhealthy", "failed", "the database does not answer"
	}
	out.Responsive = out.Status != "unhealthy" && time.Since(started) < probeTimeout
	return out, nil
}
