package client

import (
	"context"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/knowledge"
)

// Epochs returns a page of what has changed the graph, newest first.
func (s Graph) Epochs(ctx context.Context, f knowledge.EpochFilter) (knowledge.EpochPage, error) {
	query := url.Values{"limit": {strconv.Itoa(f.Limit)}}
	set(query, "kind", f.Kind)
	set(query, "actor", f.Actor)
	if f.Since != nil {
		query.Set("since", f.Since.String())
	}
	if f.Until != nil {
		query.Set("until", f.Until.String())
	}
	if f.Before > 0 {
		query.Set("cursor", strconv.FormatInt(f.Before, 10))
	}
	return fetch[knowledge.EpochPage](ctx, s.c, get("/epochs", query))
}

// Epoch returns one change of the graph.
func (s Graph) Epoch(ctx context.Context, number int64) (knowledge.Epoch, error) {
	return fetch[knowledge.Epoch](ctx, s.c, get("/epochs/"+strconv.FormatInt(number, 10), nil))
}

// Changes returns what the graph has gained and lost since a moment.
func (s Graph) Changes(ctx context.Context, q knowledge.ChangesQuery) (knowledge.Changes, error) {
	query := url.Values{"since": {q.Since}, "limit": {strconv.Itoa(q.Limit)}, "offset": {strconv.Itoa(q.Offset)}}
	set(query, "ontology", q.Ontology)
	return fetch[knowledge.Changes](ctx, s.c, get("/changes", query))
}

// Lifetime returns how a concept came about, a page of what has shown it since, and
// what was done to it.
func (s Concepts) Lifetime(ctx context.Context, id string, limit, offset int) (knowledge.ConceptLifetime, error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}, "offset": {strconv.Itoa(offset)}}
	return fetch[knowledge.ConceptLifetime](ctx, s.c, get("/concepts/"+url.PathEscape(id)+"/lifetime", query))
}
