package datasets

import (
	"strconv"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// maxGraphOntologies is how many ontologies a question may name.
const maxGraphOntologies = 100

// GraphQuery asks a question in SQL, one SELECT, to the tables of the graph.
type GraphQuery struct {
	SQL        string
	Ontologies []string // only what their documents say; empty = all
	MinEpoch   *int64   // of the graph at least; nil = as it is
	Limit      int      // rows returned, 1 to 1000
}

// Validate reports every rule that q breaks.
func (q GraphQuery) Validate() error {
	var r check.Rules
	r.Add("body", "sql", checkSQL(q.SQL))
	r.Add("body", "limit", check.Range(q.Limit, 1, MaxRows))
	r.Add("body", "min_epoch", check.MinEpoch(q.MinEpoch))
	r.Add("body", "ontologies", check.Range(len(q.Ontologies), 0, maxGraphOntologies))
	for i, name := range q.Ontologies {
		r.Add("body", "ontologies["+strconv.Itoa(i)+"]", check.Name(name, kappa.MaxOntologyName))
	}
	return r.Err()
}

// GraphRows is the answer to a GraphQuery.
type GraphRows struct {
	Rows

	Epoch int64      `json:"epoch"` // of the graph that the tables are of
	AsOf  kappa.Time `json:"as_of"` // when they were read from it
}
