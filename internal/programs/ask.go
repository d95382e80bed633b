package programs

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/programs"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// answered is what the answer to a question names.
type answered struct {
	ids   []string // of concepts, in order
	links []programs.Link
	nodes []programs.Node // that are no concepts
}

// node adds a concept.
func (a *answered) node(id string) { a.ids = append(a.ids, id) }

// link adds a relationship and its ends.
func (a *answered) link(from, kind, to string, category *string, confidence *float64) {
	a.links = append(a.links, programs.Link{FromID: from, Type: kind, ToID: to, Category: category, Confidence: confidence, Properties: map[string]any{}})
}

// answer asks the question of a statement.
func (x *run) answer(ctx context.Context, s programs.Statement) (programs.Graph, error) {
	ontology := s.Cypher.Ontology
	if s.Cypher.Parameter != "" {
		ontology, _ = x.values[s.Cypher.Parameter].(string)
	}
	ask := func(ctx context.Context, s programs.Statement) (answered, error) {
		return x.cypher(ctx, s, ontology)
	}
	if s.Type == programs.API {
		params, err := s.BindParams(x.values)
		if err != nil {
			return programs.Graph{}, err
		}
		ontology, _ = params["ontology"].(string)
		ask = func(ctx context.Context, s programs.Statement) (answered, error) {
			return x.endpoint(ctx, s, params)
		}
	}
	found, err := ask(ctx, s)
	if err != nil {
		return programs.Graph{}, err
	}
	return x.shown(ctx, programs.Graph{Nodes: found.nodes, Links: found.links}, found.ids, ontology)
}

// endpoint asks the question of an api operation.
func (x *run) endpoint(ctx context.Context, s programs.Statement, params map[string]any) (answered, error) {
	switch s.Endpoint {
	case "/search/concepts":
		return x.search(ctx, s, params)
	case "/search/sources":
		return x.sources(ctx, s, params)
	case "/concepts/batch":
		return x.batch(ctx, s, params)
	case "/vocabulary/status":
		return x.statuses(ctx, s, params)
	case "/query/connect", "/query/connect-by-search":
		return x.paths(ctx, s, params)
	case "/concepts":
		return x.list(ctx, s, params)
	case "/edges":
		return x.edges(ctx, s, asQuery(params))
	}
	return x.around(ctx, s, params)
}

// around asks a question about what is around a concept, or around each of the graph's.
func (x *run) around(ctx context.Context, s programs.Statement, params map[string]any) (answered, error) {
	ask := x.related
	switch s.Endpoint {
	case "/concepts/details":
		ask = x.details
	case "/query/neighborhood":
		ask = x.neighborhood
	}
	id, _ := params["concept_id"].(string)
	ids := []string{id}
	if id == programs.WorkingIDs {
		ids = x.graph.IDs()
	}
	return x.each(ctx, ids, func(ctx context.Context, id string) (answered, error) {
		body := maps.Clone(params)
		body["concept_id"] = id
		return ask(ctx, s, body)
	})
}

// cypher asks the question that a statement of Cypher stands for.
func (x *run) cypher(ctx context.Context, s programs.Statement, ontology string) (answered, error) {
	c := s.Cypher
	c.Ontology = ontology
	switch {
	case c.Newest:
		return x.newest(ctx, c)
	case c.Relationships:
		return x.relationships(ctx, s, c)
	case c.Working:
		return answered{ids: firstOf(x.graph.IDs(), c.Limit)}, nil
	case c.IDs != nil:
		return x.named(ctx, s, firstOf(c.IDs, c.Limit), nil)
	}
	params := map[string]any{"limit": c.Limit}
	if c.Ontology != "" {
		params["ontology"] = c.Ontology
	}
	return x.list(ctx, s, params)
}

// newest lists the concepts that were made last.
func (x *run) newest(ctx context.Context, c programs.CypherStatement) (answered, error) {
	within, err := x.caller.Within(c.Ontology)
	if err != nil {
		return answered{}, err
	}
	concepts, err := x.concepts.NewestConcepts(ctx, within, c.Limit)
	var found answered
	for _, c := range concepts {
		found.nodes = append(found.nodes, c.Node())
	}
	return found, err
}

// relationships lists relationships with their ends.
func (x *run) relationships(ctx context.Context, s programs.Statement, c programs.CypherStatement) (all answered, err error) {
	from, kinds := c.IDs, c.Types
	if c.Working {
		from = x.graph.IDs()
	}
	if !c.Working && from == nil {
		from = []string{""}
	}
	if kinds == nil {
		kinds = []string{""}
	}
	for _, id := range from {
		for _, kind := range kinds {
			query := url.Values{"limit": {strconv.Itoa(c.Limit)}}
			for name, value := range map[string]string{"from_concept_id": id, "relationship_type": kind, "ontology": c.Ontology} {
				if value != "" {
					query.Set(name, value)
				}
			}
			found, err := x.edges(ctx, s, query)
			if err != nil {
				return all, err
			}
			all.links = append(all.links, firstOf(found.links, c.Limit-len(all.links))...)
			if len(all.links) >= c.Limit {
				return ends(all), nil
			}
		}
	}
	return ends(all), nil
}

// ends adds the ends of the relationships of an answer, and nothing else.
func ends(a answered) answered {
	a.ids = nil
	for _, l := range a.links {
		a.ids = append(a.ids, l.FromID, l.ToID)
	}
	return a
}

func firstOf[T any](list []T, most int) []T { return list[:min(len(list), max(0, most))] }

// asQuery returns params as the query of a route.
func asQuery(params map[string]any) url.Values {
	query := url.Values{}
	for name, value := range params {
		if value != nil {
			query.Set(name, fmt.Sprint(value))
		}
	}
	return query
}

// only returns the members of params that a route takes.
func only(params map[string]any, names ...string) map[string]any {
	body := map[string]any{}
	for _, name := range names {
		if value, ok := params[name]; ok {
			body[name] = value
		}
	}
	return body
}

func (x *run) search(ctx context.Context, s programs.Statement, params map[string]any) (found answered, err error) {
	body := only(params, "query", "limit", "offset", "min_similarity", "ontology")
	body["include_grounding"] = false
	hits, err := question[questions.SearchResult](ctx, x, s, "POST", "/query/search", body)
	for _, hit := range hits.Results {
		found.node(hit.ConceptID)
	}
	return found, err
}

func (x *run) sources(ctx context.Context, s programs.Statement, params map[string]any) (found answered, err error) {
	body := only(params, "query", "limit", "min_similarity", "ontology")
	body["include_full_text"] = false
	hits, err := question[struct {
		Results []corpus.SourceHit `json:"results"`
	}](ctx, x, s, "POST", "/query/sources/search", body)
	for _, hit := range hits.Results {
		for _, c := range hit.Concepts {
			found.node(c.ConceptID)
		}
	}
	return found, err
}

// conceptPath returns where a concept is shown.
func conceptPath(id string, params map[string]any) string {
	path := "/query/concept/" + url.PathEscape(id) + "?include_grounding=false"
	if ontology, ok := params["ontology"].(string); ok {
		path += "&ontology=" + url.QueryEscape(ontology)
	}
	return path
}

func (x *run) details(ctx context.Context, s programs.Statement, params map[string]any) (found answered, err error) {
	id, _ := params["concept_id"].(string)
	d, err := question[questions.ConceptDetails](ctx, x, s, "GET", conceptPath(id, params), nil)
	if err != nil || d.ConceptID == "" {
		return found, err
	}
	found.node(d.ConceptID)
	for _, r := range d.Relationships {
		found.node(r.ToID)
		found.link(d.ConceptID, r.Type, r.ToID, r.Category, r.Confidence)
	}
	return found, nil
}

func (x *run) related(ctx context.Context, s programs.Statement, params map[string]any) (found answered, err error) {
	body := only(params, "concept_id", "max_depth", "relationship_types", "ontology")
	body["include_grounding"] = false
	near, err := question[questions.RelatedResult](ctx, x, s, "POST", "/query/related", body)
	for _, c := range near.Results {
		found.node(c.ConceptID)
		if len(c.PathTypes) == 0 {
			continue
		}
		from, to := c.Via.ConceptID, c.ConceptID
		if !c.Via.Forward {
			from, to = to, from
		}
		found.link(from, c.PathTypes[len(c.PathTypes)-1], to, nil, nil)
	}
	return found, err
}

func (x *run) neighborhood(ctx context.Context, s programs.Statement, params map[string]any) (found answered, err error) {
	body := only(params, "concept_id", "max_hops", "relationship_types", "limit", "include_weak", "ontology")
	body["include_grounding"] = false
	around, err := question[questions.Neighborhood](ctx, x, s, "POST", "/query/neighborhood", body)
	for _, n := range around.Nodes {
		found.node(n.ConceptID)
	}
	for _, e := range around.Edges {
		found.link(e.FromID, e.Type, e.ToID, nil, &e.Confidence)
	}
	return found, err
}

func (x *run) paths(ctx context.Context, s programs.Statement, params map[string]any) (found answered, err error) {
	body := maps.Clone(params)
	body["include_grounding"] = false
	connected, err := question[struct {
		Paths []questions.Path `json:"paths"`
	}](ctx, x, s, "POST", s.Endpoint, body)
	for _, p := range connected.Paths {
		for i, n := range p.Nodes {
			found.node(n.ID)
			if i == 0 || i > len(p.Relationships) || i > len(p.Forward) {
				continue
			}
			from, to := p.Nodes[i-1].ID, n.ID
			if !p.Forward[i-1] {
				from, to = to, from
			}
			found.link(from, p.Relationships[i-1], to, nil, nil)
		}
	}
	return found, err
}

func (x *run) list(ctx context.Context, s programs.Statement, params map[string]any) (found answered, err error) {
	listed, err := question[struct {
		Concepts []questions.ListedConcept `json:"concepts"`
	}](ctx, x, s, "GET", "/concepts?"+asQuery(params).Encode(), nil)
	for _, c := range listed.Concepts {
		found.node(c.ConceptID)
	}
	return found, err
}

func (x *run) edges(ctx context.Context, s programs.Statement, query url.Values) (found answered, err error) {
	listed, err := question[struct {
		Edges []questions.ListedEdge `json:"edges"`
	}](ctx, x, s, "GET", "/edges?"+query.Encode(), nil)
	for _, e := range listed.Edges {
		found.link(e.FromID, e.Type, e.ToID, &e.Category, &e.Confidence)
	}
	return ends(found), err
}

// batch shows concepts by their ids.
func (x *run) batch(ctx context.Context, s programs.Statement, params map[string]any) (answered, error) {
	var ids []string
	switch given := params["concept_ids"].(type) {
	case string: // programs.WorkingIDs: they are there
		return answered{ids: x.graph.IDs()}, nil
	case []any:
		for _, id := range given {
			text, _ := id.(string)
			ids = append(ids, text)
		}
	}
	return x.named(ctx, s, ids, params)
}

// named returns those of the concepts that the caller can see.
func (x *run) named(ctx context.Context, s programs.Statement, ids []string, params map[string]any) (found answered, err error) {
	for _, id := range ids {
		d, err := question[questions.ConceptDetails](ctx, x, s, "GET", conceptPath(id, params), nil)
		if err != nil {
			return found, err
		}
		if d.ConceptID != "" {
			found.node(d.ConceptID)
		}
	}
	return found, nil
}

// statuses returns the types of relationships, as nodes that are no concepts.
func (x *run) statuses(ctx context.Context, s programs.Statement, params map[string]any) (found answered, err error) {
	query := url.Values{}
	if status, ok := params["status_filter"].(string); ok {
		query.Set("status_filter", status)
	}
	measured, err := question[struct {
		Types []struct {
			Type   string          `json:"relationship_type"`
			Status string          `json:"epistemic_status"`
			Stats  json.RawMessage `json:"stats"`
		} `json:"types"`
	}](ctx, x, s, "GET", "/vocabulary/epistemic-status?"+query.Encode(), nil)
	for _, t := range measured.Types {
		if wanted, ok := params["relationship_type"].(string); ok && wanted != t.Type {
			continue
		}
		found.nodes = append(found.nodes, programs.Node{ConceptID: "vocab:" + t.Type, Label: t.Type, Properties: map[string]any{"epistemic_status": t.Status, "stats": t.Stats}})
	}
	return found, err
}
