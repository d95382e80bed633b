package main

import "strings"

// mustGrow are the routes that read more of a larger graph, each with the reason.
var mustGrow = map[string]string{
	"graph.export": "streams the whole graph",
	"graph.check":  "reads all that a rule is about, when kg doctor --deep asks",

	"storage.references": "looks for the bytes of every document",
	"storage.retention":  "looks at every job and document for what is due",
	"embedding.status":   "compares the text of every chunk with what was embedded of it",

	"query.search":            "compares the phrase with every concept, in memory",
	"query.connect-by-search": "compares two phrases with every concept, in memory",
	"query.documents":         "ranks what the passages of every document say of it",
}

// unasked are the routes that are not asked, each with the reason.
var unasked = map[string]string{
	"jobs.events":             "a stream",
	"jobs.stream":             "a stream",
	"workers.connect":         "a stream",
	"ingest.image-health":     "there is no model that reads images",
	"ontologies.scores":       "nothing is scored before a job has done it",
	"artifacts.show":          "the graph has no artifacts",
	"artifacts.download":      "the graph has no artifacts",
	"artifacts.payload":       "the graph has no artifacts",
	"embedding.export":        "the graph has no other profile",
	"groups.show":             "the graph has no groups",
	"jobs.act-status":         "the graph has no acts on many jobs",
	"ontologies.proposal":     "the graph has no proposals",
	"programs.show":           "the graph has no programs",
	"queries.show":            "the graph has no query definitions",
	"projection.show":         "there is none before a job has made it",
	"provider-keys.show":      "the graph has no keys",
	"rbac.resource-grants":    "the graph has no grants",
	"sources.image":           "the graph has no images",
	"storage.object":          "the graph has no objects besides its documents",
	"scheduler.schedule-runs": "what has run is no part of the graph",
}

// narrowed are lists that are asked for a part of them too.
var narrowed = map[string][]string{
	"GET /concepts":         {"label_contains=LABEL", "ontology=ontology 1", "creation_method=llm_extraction"},
	"GET /edges":            {"ontology=ontology 1", "min_confidence=0.8", "relationship_type=BENCH_3", "ontology=ontology 1&min_confidence=0.8"},
	"GET /sources":          {"ontology=ontology 1"},
	"GET /documents":        {"ontology=ontology 1"},
	"GET /catalog/children": {"parent=ontology 1"},
}

type object = map[string]any

// bodies are those of the questions that are asked with POST.
var bodies = map[string]func(g *graph, n int) object{
	"query.search":       func(g *graph, n int) object { return object{"query": at(g.labels, n)} },
	"query.sources":      func(g *graph, n int) object { return object{"query": at(g.labels, n)} },
	"query.documents":    func(g *graph, n int) object { return object{"query": at(g.labels, n)} },
	"query.ask":          func(g *graph, n int) object { return object{"question": "What is " + at(g.labels, n) + "?"} },
	"query.related":      func(g *graph, n int) object { return object{"concept_id": at(g.concepts, n), "max_depth": 1} },
	"query.neighborhood": func(g *graph, n int) object { return object{"concept_id": at(g.concepts, n), "max_hops": 1} },
	"query.within":       func(g *graph, n int) object { return object{"seed_ids": []string{at(g.concepts, n)}, "max_hops": 1} },
	"query.connect": func(g *graph, n int) object {
		return object{"from_id": at(g.edges, n)[0], "to_id": at(g.edges, n)[2], "max_hops": 1}
	},
	"query.enriched-path": func(g *graph, n int) object {
		return object{"from_id": at(g.edges, n)[0], "to_id": at(g.edges, n)[2], "max_hops": 1}
	},
	"query.connect-by-search": func(g *graph, n int) object {
		return object{"from_query": at(g.labels, n), "to_query": at(g.labels, n+1), "max_hops": 1}
	},
	"query.polarity": func(g *graph, n int) object {
		return object{"positive_pole_id": at(g.concepts, n), "negative_pole_id": at(g.concepts, n+1), "max_hops": 1}
	},
	"graph.centrality":  func(*graph, int) object { return object{} },
	"graph.communities": func(*graph, int) object { return object{} },
	"rbac.check":        func(*graph, int) object { return object{"user_id": 1, "resource_type": "graph", "action": "read"} },
	"programs.validate": func(*graph, int) object { return object{"program": program} },
	"programs.execute":  func(*graph, int) object { return object{"program": program} },
	"programs.chain":    func(*graph, int) object { return object{"deck": []object{{"program": program}}} },
}

var program = object{"version": 1, "statements": []object{
	{"op": "+", "operation": object{"type": "cypher", "query": "MATCH (c:Concept) RETURN c LIMIT 10"}},
}}

// at returns a part of a list that begins again at its end.
func at[T any](list []T, n int) T { return list[n%len(list)] }

// value returns what the n-th question has for a parameter of a path.
func (g *graph) value(r route, name string, n int) (string, bool) {
	switch name {
	case "from":
		return at(g.edges, n)[0], true
	case "to":
		return at(g.edges, n)[2], true
	case "type":
		return at(g.edges, n)[1], true
	case "ontology":
		return "ontology 1", true
	case "nonce":
		return strings.Repeat("a1", 16), true
	}
	value, known := map[string]string{
		"documents": at(g.documents, n), "sources": at(g.sources, n), "jobs": at(g.jobs, n), "graph": at(g.concepts, n), "query": at(g.concepts, n), "catalog": "ontology 1",
		"ontologies": "ontology 1", "users": "1", "rbac": "1", "vocabulary": "default",
	}[family(r.id)]
	if own, ok := map[string]string{
		"graph.show-epoch": "7", "graph.about": "ontology 1", "graph.check": "evidence", "workers.lane": "interactive", "rbac.role": "admin",
		"vocabulary.profile": "linear", "rbac.show-group": "1", "rbac.members": "1", "rbac.group-grants": "1",
	}[r.id]; ok {
		value, known = own, true
	}
	return value, known
}

// family is the part of the name of a route before its dot.
func family(id string) string {
	name, _, _ := strings.Cut(id, ".")
	return name
}
