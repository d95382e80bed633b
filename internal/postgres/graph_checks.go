package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
)

// CheckStore checks the rules that the graph keeps, and repairs what is safe to repair.
type CheckStore struct{ *base }

// Checks returns the store of the checks.
func (d *DB) Checks() CheckStore { return CheckStore{&d.base} }

// checkRow is a row of the statements of checks: how much is wrong, and an example.
type checkRow interface {
	~struct {
		Total int64
		What  string
	}
}

// checking returns how a statement checks a rule.
func checking[R checkRow](check func(q *db.Queries, ctx context.Context, most int32) ([]R, error)) func(context.Context, *db.Queries) (int64, []string, error) {
	return func(ctx context.Context, q *db.Queries) (total int64, examples []string, err error) {
		rows, err := check(q, ctx, knowledge.MaxBrokenShown)
		for _, r := range rows {
			row := db.CheckConfidenceRow(r)
			total, examples = row.Total, append(examples, row.What)
		}
		return total, examples, err
	}
}

// graphChecks are how the rules of knowledge.GraphChecks are checked, by their names.
var graphChecks = map[string]func(context.Context, *db.Queries) (int64, []string, error){
	"references":      checking((*db.Queries).CheckReferences),
	"chunk-documents": checking((*db.Queries).CheckChunkDocuments),
	"content-hashes":  checking((*db.Queries).CheckContentHashes),
	"chunk-offsets":   checking((*db.Queries).CheckChunkOffsets),
	"quote-offsets":   checking((*db.Queries).CheckQuoteOffsets),
	"passages":        checking((*db.Queries).CheckChunkPassages),
	"type-merges":     checking((*db.Queries).CheckTypeMerges),
	"retired-types":   checking((*db.Queries).CheckRetiredTypes),
	"symmetric-ends":  checking((*db.Queries).CheckSymmetricEnds),
	"evidence":        checking((*db.Queries).CheckRelationshipEvidence),
	"confidence":      checking((*db.Queries).CheckConfidence),
	"concept-quotes":  checking((*db.Queries).CheckConceptQuotes),
	"embeddings":      checking((*db.Queries).CheckEmbeddings),
	"epochs":          checking((*db.Queries).CheckEpochs),
	"counters":        checking((*db.Queries).CheckCounters),
	"ontology-counts": checkOntologyCounts,
	"job-counts":      checking((*db.Queries).CheckJobCounts),
}

// graphRepairs repair what breaks a rule, and return how much that was.
var graphRepairs = map[string]func(context.Context, *db.Queries) (int64, error){
	"passages":       repairPassages,
	"retired-types":  repairPlaces,
	"symmetric-ends": repairPlaces,
	"evidence":       func(ctx context.Context, q *db.Queries) (int64, error) { return q.RepairRelationshipEvidence(ctx) },
	"confidence":     func(ctx context.Context, q *db.Queries) (int64, error) { return q.RepairConfidence(ctx) },

	"ontology-counts": repairOntologyCounts,
	"job-counts":      func(ctx context.Context, q *db.Queries) (int64, error) { return q.JobCountsRecount(ctx) },
}

func repairOntologyCounts(ctx context.Context, q *db.Queries) (int64, error) {
	broken, _, err := checkOntologyCounts(ctx, q)
	if err != nil || broken == 0 {
		return 0, err
	}
	return broken, q.OntologyRecount(ctx)
}

// repairPassages removes the passages of chunks of which any breaks the rule. The leader cuts
// these chunks again; see passages.Upkeep.
func repairPassages(ctx context.Context, q *db.Queries) (int64, error) {
	sources, err := q.BrokenPassages(ctx)
	if err != nil || len(sources) == 0 {
		return 0, err
	}
	broken, _, err := graphChecks["passages"](ctx, q)
	if err != nil {
		return 0, err
	}
	return broken, q.PassagesUncut(ctx, sources)
}

var checkOntologyCounts = checking((*db.Queries).CheckOntologyCounts)

func repairPlaces(ctx context.Context, q *db.Queries) (int64, error) {
	if err := q.RepairPlaces(ctx); err != nil {
		return 0, err
	}
	return q.RepairPlaced(ctx)
}

// CheckGraph checks a rule in a transaction that only reads, in the memory that PostgreSQL
// has for a statement, and takes as long as ctx allows. It returns CodeNotFound for an
// unknown rule.
func (s CheckStore) CheckGraph(ctx context.Context, name string) (knowledge.GraphChecked, error) {
	out := knowledge.GraphChecked{Examples: []string{}}
	var err error
	if out.GraphCheck, err = knowledge.FindGraphCheck(name); err != nil {
		return out, err
	}
	err = pgx.BeginTxFunc(ctx, s.graph, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		q := db.New(tx)
		if err := q.GraphReadBegin(ctx); err != nil {
			return err
		}
		broken, examples, err := graphChecks[name](ctx, q)
		if out.Broken = broken; broken > 0 {
			out.Examples = examples
		}
		return err
	})
	return out, translate(err, "check the graph")
}

// RepairGraph repairs what breaks a rule, alone on the graph, and records that. It returns
// CodeNotFound for an unknown rule, and CodeConflict for one whose repair is not safe.
func (s CheckStore) RepairGraph(ctx context.Context, name string) (knowledge.GraphRepaired, error) {
	out := knowledge.GraphRepaired{Name: name}
	check, err := knowledge.FindGraphCheck(name)
	if err != nil {
		return out, err
	}
	repair := graphRepairs[name]
	if repair == nil {
		return out, conflict("What breaks '%s' cannot be repaired safely: %s", name, check.Remedy)
	}
	err = inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := q.GraphReadBegin(ctx); err != nil { // it may take as long as the check
			return err
		}
		if err := q.GraphLock(ctx); err != nil {
			return err
		}
		if out.Repaired, err = repair(ctx, q); err != nil || out.Repaired == 0 {
			return err
		}
		if err := raiseEpoch(ctx, q, change{kind: knowledge.EpochEdit, act: "graph.repair", object: name}); err != nil {
			return err
		}
		return record(ctx, q, act{action: "graph.repair", object: "graph", id: name, after: out})
	})
	return out, translate(err, "repair the graph")
}
