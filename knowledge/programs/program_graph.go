package programs

import (
	"encoding/json"
	"slices"
)

// Graph is the graph that a program builds: concepts once each, and relationships
// between them. A relationship goes with either of its ends.
type Graph struct {
	Nodes []Node `json:"nodes"`
	Links []Link `json:"links"`
}

// Node is a concept in the graph of a program.
type Node struct {
	ConceptID   string         `json:"concept_id"`
	Label       string         `json:"label"`
	Ontology    *string        `json:"ontology" doc:"The first by name of those that show it"`
	Description *string        `json:"description"`
	Properties  map[string]any `json:"properties" doc:"Of a concept: created_at, created_at_epoch in seconds since 1970, creation_method and search_terms"`
}

// Link is a relationship in the graph of a program.
type Link struct {
	FromID     string         `json:"from_id"`
	ToID       string         `json:"to_id"`
	Type       string         `json:"relationship_type"`
	Category   *string        `json:"category"`
	Confidence *float64       `json:"confidence"`
	Properties map[string]any `json:"properties"`
}

// linkKey tells relationships apart.
type linkKey struct{ from, kind, to string }

func (l Link) key() linkKey { return linkKey{l.FromID, l.Type, l.ToID} }

// Node returns the concept as the graph of a program has it.
func (c NewestConcept) Node() Node {
	n := Node{ConceptID: c.ConceptID, Label: c.Label, Properties: map[string]any{
		"created_at": c.CreatedAt, "created_at_epoch": c.CreatedAt.Unix(), "creation_method": c.CreationMethod, "search_terms": c.SearchTerms,
	}}
	if c.Ontology != "" {
		n.Ontology = &c.Ontology
	}
	if c.Description != "" {
		n.Description = &c.Description
	}
	return n
}

// Apply joins the result of a statement to g, and returns how many concepts and
// relationships that has added or taken away. ok is false when Assert found nothing.
func (g *Graph) Apply(op string, result Graph) (nodes, links int, ok bool) {
	switch op {
	case Difference, Intersect:
		named := map[string]bool{}
		for _, n := range result.Nodes {
			named[n.ConceptID] = true
		}
		nodes, links = g.keep(func(id string) bool { return named[id] == (op == Intersect) })
		return nodes, links, true
	case Assert:
		if len(result.Nodes) == 0 && len(result.Links) == 0 {
			return 0, 0, false
		}
	}
	nodes, links = g.add(result)
	return nodes, links, true
}

// keep takes away the other concepts, and the relationships that lose an end.
func (g *Graph) keep(stays func(id string) bool) (nodes, links int) {
	nodes, links = len(g.Nodes), len(g.Links)
	g.Nodes = slices.DeleteFunc(g.Nodes, func(n Node) bool { return !stays(n.ConceptID) })
	g.Links = slices.DeleteFunc(g.Links, func(l Link) bool { return !stays(l.FromID) || !stays(l.ToID) })
	return nodes - len(g.Nodes), links - len(g.Links)
}

// add adds what g does not have. What it has stays as it is.
func (g *Graph) add(result Graph) (nodes, links int) {
	known, ties := map[string]bool{}, map[linkKey]bool{}
	for _, n := range g.Nodes {
		known[n.ConceptID] = true
	}
	for _, l := range g.Links {
		ties[l.key()] = true
	}
	nodes, links = len(g.Nodes), len(g.Links)
	for _, n := range result.Nodes {
		if !known[n.ConceptID] {
			known[n.ConceptID] = true
			g.Nodes = append(g.Nodes, n)
		}
	}
	for _, l := range result.Links {
		if known[l.FromID] && known[l.ToID] && !ties[l.key()] {
			ties[l.key()] = true
			g.Links = append(g.Links, l)
		}
	}
	return len(g.Nodes) - nodes, len(g.Links) - links
}

// Clone returns a graph that does not change with g. Lists are never nil.
func (g *Graph) Clone() Graph {
	return Graph{Nodes: append([]Node{}, g.Nodes...), Links: append([]Link{}, g.Links...)}
}

// IDs returns the ids of the concepts.
func (g *Graph) IDs() []string {
	ids := make([]string, len(g.Nodes))
	for i, n := range g.Nodes {
		ids[i] = n.ConceptID
	}
	return ids
}

// Bytes returns about how long the graph is as JSON.
func (g *Graph) Bytes() int {
	text, _ := json.Marshal(g) //nolint:errchkjson // can always be encoded
	return len(text)
}

func (g *Graph) hasOntology(name string) bool {
	return slices.ContainsFunc(g.Nodes, func(n Node) bool { return n.Ontology != nil && *n.Ontology == name })
}

func (g *Graph) hasType(name string) bool {
	return slices.ContainsFunc(g.Links, func(l Link) bool { return l.Type == name })
}
