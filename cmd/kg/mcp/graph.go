package mcp

import (
	"context"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// How much of a concept, and of an ontology, is shown at most.
const (
	perCommunity   = 8
	maxCommunities = 12
	maxLinked      = 40 // relationships of a concept
)

// addGraph adds the tools that read the graph.
func (t toolset) addGraph(s *shelf) {
	add(s, tool[searchInput]{
		name: "search", title: "Search concepts", kind: reads, needs: access.GraphRead, do: t.search,
		example: `{"query":"worker lane","limit":5}`,
		about:   "Finds the concepts whose meaning is nearest to a phrase, best first, each with its id, its ontologies and how many quotes support it. Start here.",
	})
	add(s, tool[conceptInput]{
		name: "concept", title: "Show a concept", kind: reads, needs: access.GraphRead, do: t.concept,
		example: `{"id":"lane_41","quotes":3}`,
		about:   "Shows one concept: description, other names, outgoing relationships with the sentence that states each, and exact quotes with document and place.",
	})
	add(s, tool[relatedInput]{
		name: "related", title: "Related concepts", kind: reads, needs: access.GraphRead, do: t.related,
		example: `{"id":"lane_41","types":["HAS_PART"],"direction":"out"}`,
		about:   "Lists the concepts within some relationships of a concept, nearest first, with the types on the way and the sentence that states the last step.",
	})
	add(s, tool[withinInput]{
		name: "within", title: "Around several concepts", kind: reads, needs: access.GraphRead, do: t.within,
		example: `{"ids":["lane_41","slot_7"],"depth":2}`,
		about:   "Lists the concepts within some relationships of any of several concepts, in one search, nearest first, with their distance.",
	})
	add(s, tool[connectInput]{
		name: "connect", title: "Connect two concepts", kind: reads, needs: access.GraphRead, do: t.connect,
		example: `{"from":"worker lane","to":"PostgreSQL"}`,
		about:   "Finds the shortest paths between two concepts, each given by its id or by a phrase, with the sentence that states each step.",
	})
	add(s, tool[edgeInput]{
		name: "edge", title: "Show a relationship", kind: reads, needs: access.GraphRead, do: t.edge,
		example: `{"from":"lane_41","type":"HAS_PART","to":"slot_7"}`,
		about:   "Shows one relationship with every sentence that states it, the surest first, each with document, place, confidence and who read or wrote it.",
	})
	add(s, tool[lifetimeInput]{
		name: "lifetime", title: "The life of a concept", kind: reads, needs: access.GraphRead, do: t.lifetime,
		example: `{"id":"lane_41"}`,
		about:   "Says when a concept came to be known: when it was made, the quotes that show it in the order in which they came, and what was done to it since.",
	})
	add(s, tool[epochsInput]{
		name: "epochs", title: "What changed the graph", kind: reads, needs: access.GraphRead, do: t.epochs,
		example: `{"kind":"edit","limit":10}`,
		about:   "Lists what has changed the graph, the newest first: when, what, by whom, and how many concepts and relationships came and went.",
	})
	add(s, tool[namesakesInput]{
		name: "namesakes", title: "Concepts of one name", kind: reads, needs: access.ConceptsRead, do: t.namesakes,
		example: `{"limit":10}`,
		about:   "Lists concepts that have one name and are two, or names that sound alike in two scripts, with what tells them apart: their ontologies and what they are related with. They may be two things, or one that was not seen to be one.",
	})
	add(s, tool[polarityInput]{
		name: "polarity", title: "Polarity axis", kind: reads, needs: access.GraphRead, do: t.polarity,
		example: `{"positive_id":"order_3","negative_id":"chaos_9"}`,
		about:   "Places concepts between two opposite ones: 1 is at the positive pole, -1 at the negative one.",
	})
	add(s, tool[struct{}]{
		name: "ontologies", title: "List ontologies", kind: reads, needs: access.OntologiesRead, do: t.ontologies,
		example: `{}`,
		about:   "Lists the ontologies, which are named sets of documents and their concepts, with their sizes.",
	})
	add(s, tool[aboutInput]{
		name: "about", title: "What an ontology is about", kind: reads, needs: access.GraphRead, do: t.about,
		example: `{"ontology":"minutes"}`,
		about:   "Says what an ontology is about: the groups of concepts that belong together, named by their strongest ones.",
	})
}

type searchInput struct {
	Query         string   `json:"query" jsonschema:"what to look for, in words"`
	Ontology      string   `json:"ontology,omitempty" jsonschema:"only concepts of this ontology"`
	Limit         int      `json:"limit,omitempty" jsonschema:"how many concepts" bounds:"1..50" standard:"10"`
	Offset        int      `json:"offset,omitempty" jsonschema:"how many of the best to leave out, for the next page" bounds:"0.."`
	MinSimilarity *float64 `json:"min_similarity,omitempty" jsonschema:"lower finds more" bounds:"0..1"`
	Quotes        bool     `json:"quotes,omitempty" jsonschema:"also show some quotes of each"`
}

func (t toolset) search(ctx context.Context, in searchInput, out *text) error {
	q := questions.SearchQuery{
		Query: in.Query, Limit: in.Limit, Offset: in.Offset, MinSimilarity: in.MinSimilarity, IncludeEvidence: in.Quotes,
	}
	if in.Ontology != "" {
		q.Ontology = &in.Ontology
	}
	found, err := t.c.Graph.Search(ctx, q)
	if err != nil {
		return err
	}
	if len(found.Results) == 0 {
		if err := t.inOntology(ctx, in.Ontology, out, "No concept is that near to %q (min_similarity %.2f).", found.Query, found.Threshold); err != nil {
			return err
		}
	}
	for _, hit := range found.Results {
		out.line("%s  id %s  similarity %.2f, %d quotes, in %s%s", out.concept(hit.ConceptID, hit.Label), hit.ConceptID, hit.Score, hit.EvidenceCount, allQuoted(hit.Documents), grounding(hit.Grounding))
		if hit.Description != nil && *hit.Description != "" {
			out.line("  %s", quoted(*hit.Description))
		}
		out.quotes(hit.Sample)
	}
	if len(found.Results) == q.Limit {
		out.mayBeMore(q.Offset + q.Limit)
	}
	if found.BelowThreshold != nil && found.Suggested != nil && *found.BelowThreshold > 0 {
		out.line("%d more with min_similarity %.2f.", *found.BelowThreshold, *found.Suggested)
	}
	return nil
}

type conceptInput struct {
	ID       string `json:"id" jsonschema:"the concept's id, as search shows it"`
	Ontology string `json:"ontology,omitempty" jsonschema:"only what the documents of this ontology say"`
	Quotes   int    `json:"quotes,omitempty" jsonschema:"how many quotes" bounds:"1..50" standard:"5"`
}

func (t toolset) concept(ctx context.Context, in conceptInput, out *text) error {
	c, err := t.c.Concepts.Ask(ctx, questions.ConceptQuery{ConceptID: in.ID, IncludeEvidence: true, Ontology: in.Ontology})
	if err != nil {
		return err
	}
	out.line("%s  id %s%s", out.concept(c.ConceptID, c.Label), c.ConceptID, grounding(c.Grounding))
	if c.Description != nil && *c.Description != "" {
		out.line("%s", quoted(*c.Description))
	}
	if len(c.SearchTerms) > 0 {
		out.line("also: %s", allQuoted(c.SearchTerms))
	}
	out.line("in: %s", allQuoted(c.Documents))
	shown := min(len(c.Instances), in.Quotes)
	out.line("Quotes (%d of %d):", shown, len(c.Instances))
	out.quotes(c.Instances[:shown])
	linked := min(len(c.Relationships), maxLinked)
	if linked < len(c.Relationships) {
		out.line("Relationships (%d of %d; related shows the others):", linked, len(c.Relationships))
	} else {
		out.line("Relationships (%d):", linked)
	}
	for _, r := range c.Relationships[:linked] {
		out.line("  %s %s  id %s", r.Type, out.concept(r.ToID, r.ToLabel), r.ToID)
		out.stated(r.Evidence)
	}
	return nil
}

// following is which relationships a question follows; it is part of the inputs of tools.
type following struct {
	Types         []string `json:"types,omitempty" jsonschema:"only relationships of these types, such as CAUSES"`
	MinConfidence float64  `json:"min_confidence,omitempty" jsonschema:"only relationships that are as certain" bounds:"0..1"`
	Direction     string   `json:"direction,omitempty" jsonschema:"follow relationships as they point (out), against that (in), or both ways; both without it" oneof:"out in both"`
	PerHop        int      `json:"limit_per_hop,omitempty" jsonschema:"concepts taken of those that a hop leads to, the best paths first; all without it" bounds:"1..1000"`
}

func (f following) filter() questions.RelationshipFilter {
	return questions.RelationshipFilter{Types: f.Types, MinConfidence: f.MinConfidence, Direction: questions.Heading(f.Direction), PerHop: f.PerHop}
}

type relatedInput struct {
	ID       string `json:"id" jsonschema:"the concept's id"`
	Ontology string `json:"ontology,omitempty" jsonschema:"only what the documents of this ontology say"`
	Depth    int    `json:"depth,omitempty" jsonschema:"how many relationships away" bounds:"1..5" standard:"1"`
	following
	Limit  int  `json:"limit,omitempty" jsonschema:"how many concepts" bounds:"1..200" standard:"40"`
	Offset int  `json:"offset,omitempty" jsonschema:"how many concepts to skip" bounds:"0.."`
	Weak   bool `json:"include_weak,omitempty" jsonschema:"also follow weak RELATED_TO, which says little more than that two stand near each other"`
}

func (t toolset) related(ctx context.Context, in relatedInput, out *text) error {
	found, err := t.c.Graph.Related(ctx, questions.RelatedQuery{
		ConceptID: in.ID, Ontology: in.Ontology, MaxDepth: max(1, in.Depth), IncludeEvidence: true, EpistemicFilter: questions.EpistemicFilter{IncludeWeak: in.Weak},
		Limit: in.Limit, Offset: in.Offset,
		RelationshipFilter: in.filter(),
	})
	if err != nil {
		return err
	}
	for _, r := range found.Results {
		out.line("%d away, %s: %s  id %s%s", r.Distance, strings.Join(r.PathTypes, " > "), out.concept(r.ConceptID, r.Label), r.ConceptID, grounding(r.Grounding))
		out.stated(r.Via.Evidence)
	}
	if found.Count == 0 && found.Offset == 0 {
		out.line("Nothing is related to %s within %s%s.", found.ConceptID, count(found.MaxDepth, "relationship"), weakHint(in.Weak))
	}
	if found.Truncated {
		out.line("There are more than the %d that were counted: narrow it down with depth or types.", found.Total)
	} else {
		out.missing(found.Completeness)
	}
	out.page(found.Offset, found.Count, found.Total)
	return nil
}

type withinInput struct {
	IDs   []string `json:"ids" jsonschema:"ids of the concepts to start from, 1 to 100"`
	Depth int      `json:"depth,omitempty" jsonschema:"how many relationships away" bounds:"1..5" standard:"1"`
	following
	Limit    int    `json:"limit,omitempty" jsonschema:"how many concepts" bounds:"1..200" standard:"40"`
	Offset   int    `json:"offset,omitempty" jsonschema:"how many concepts to skip" bounds:"0.."`
	Ontology string `json:"ontology,omitempty" jsonschema:"only what the documents of this ontology say"`
	Weak     bool   `json:"include_weak,omitempty" jsonschema:"also follow weak RELATED_TO"`
}

func (t toolset) within(ctx context.Context, in withinInput, out *text) error {
	found, err := t.c.Graph.Around(ctx, questions.AroundQuery{
		SeedIDs: in.IDs, Ontology: in.Ontology, MaxHops: max(1, in.Depth), Limit: in.Limit, Offset: in.Offset,
		EpistemicFilter:    questions.EpistemicFilter{IncludeWeak: in.Weak},
		RelationshipFilter: in.filter(),
	})
	if err != nil {
		return err
	}
	for _, c := range found.Results {
		out.line("%d away: %s  id %s%s", c.Distance, out.concept(c.ConceptID, c.Label), c.ConceptID, grounding(c.Grounding))
	}
	out.page(found.Offset, found.Count, found.Total)
	if found.Total == 0 {
		out.line("Nothing is within %s of them%s.", count(found.MaxHops, "relationship"), weakHint(in.Weak))
	}
	out.missing(found.Completeness)
	return nil
}

type connectInput struct {
	From          string  `json:"from" jsonschema:"a concept's id, or a phrase"`
	To            string  `json:"to" jsonschema:"a concept's id, or a phrase"`
	Ontology      string  `json:"ontology,omitempty" jsonschema:"only what the documents of this ontology say"`
	MaxHops       int     `json:"max_hops,omitempty" jsonschema:"how long a path may be" bounds:"1..10" standard:"5"`
	MinSimilarity float64 `json:"min_similarity,omitempty" jsonschema:"how near a concept must be to its phrase" bounds:"0..1"`
	following
	Limit  int  `json:"limit,omitempty" jsonschema:"how many paths" bounds:"1..50" standard:"5"`
	Offset int  `json:"offset,omitempty" jsonschema:"how many paths to skip" bounds:"0.."`
	Weak   bool `json:"include_weak,omitempty" jsonschema:"also follow weak RELATED_TO, when there is no path without"`
}

func (t toolset) connect(ctx context.Context, in connectInput, out *text) error {
	q := questions.ConnectBySearchQuery{FromQuery: in.From, ToQuery: in.To, Ontology: in.Ontology, MaxHops: in.MaxHops, Threshold: in.MinSimilarity, IncludeEvidence: true}
	q.IncludeWeak = in.Weak
	q.RelationshipFilter, q.PathPage = in.filter(), questions.PathPage{Limit: in.Limit, Offset: in.Offset}
	if q.Threshold == 0 {
		q.Threshold = questions.DefaultPhraseSimilarity
	}
	found, err := t.c.Graph.ConnectBySearch(ctx, q)
	if err != nil {
		return err
	}
	for _, end := range []struct {
		phrase  string
		concept *questions.PathNode
	}{{in.From, found.FromConcept}, {in.To, found.ToConcept}} {
		if end.concept != nil {
			out.line("%q is %s  id %s", oneLine(end.phrase), out.concept(end.concept.ID, end.concept.Label), end.concept.ID)
		}
	}
	out.paths(found.Paths)
	if len(found.Paths) == 0 {
		out.line("No path of at most %s joins them%s.", count(found.MaxHops, "relationship"), weakHint(in.Weak))
	}
	if found.More {
		out.more(found.Offset + found.Count)
	}
	out.missing(found.Completeness)
	return nil
}

// missing says what an answer lacks.
func (t *text) missing(c questions.Completeness) {
	if !c.Complete && c.Missing != "" {
		t.line("Not complete: %s.", oneLine(c.Missing))
	}
}

// weakHint says what may find more.
func weakHint(weak bool) string {
	if weak {
		return ""
	}
	return "; include_weak may find more"
}

// stepLine writes the nth relationship of a path, as it points.
func stepLine(p questions.Path, n int) string {
	from, to := p.Nodes[n], p.Nodes[n+1]
	if !p.Forward[n] {
		from, to = to, from
	}
	return quoted(from.Label) + " -" + p.Relationships[n] + "-> " + quoted(to.Label)
}

// pathLine writes a path with an arrow for each relationship.
func (t *text) pathLine(p questions.Path) string {
	var b strings.Builder
	for i, n := range p.Nodes {
		if i > 0 {
			before, after := " -", "-> "
			if !p.Forward[i-1] {
				before, after = " <-", "- "
			}
			b.WriteString(before + p.Relationships[i-1] + after)
		}
		b.WriteString(t.concept(n.ID, n.Label) + " [" + n.ID + "]")
	}
	return b.String()
}

type polarityInput struct {
	Positive   string   `json:"positive_id" jsonschema:"the concept at 1"`
	Negative   string   `json:"negative_id" jsonschema:"the concept at -1"`
	Candidates []string `json:"candidate_ids,omitempty" jsonschema:"the concepts to place; without any they are searched for around the poles"`
	Ontology   string   `json:"ontology,omitempty" jsonschema:"only what the documents of this ontology say"`
	following
	Limit int `json:"limit,omitempty" jsonschema:"how many are searched for" bounds:"1..100" standard:"20"`
}

func (t toolset) polarity(ctx context.Context, in polarityInput, out *text) error {
	q := questions.NewPolarityQuery(in.Positive, in.Negative)
	q.Candidates, q.Ontology = in.Candidates, in.Ontology
	q.RelationshipFilter = in.filter()
	if in.Limit != 0 {
		q.MaxCandidates = in.Limit
	}
	found, err := t.c.Graph.Polarity(ctx, q)
	if err != nil {
		return err
	}
	out.line("Between %s (1) and %s (-1); the axis is %s.", quoted(found.Axis.Positive.Label), quoted(found.Axis.Negative.Label), found.Axis.Quality)
	for _, p := range found.Projections {
		out.line("%+.2f  %s  id %s  (%.2f from the axis)", p.Position, out.concept(p.ConceptID, p.Label), p.ConceptID, p.AxisDistance)
	}
	if !found.Complete {
		out.line("Not complete: %s.", found.Missing)
	}
	return nil
}

func (t toolset) ontologies(ctx context.Context, _ struct{}, out *text) error {
	all, err := t.c.Ontologies.List(ctx)
	if err != nil {
		return err
	}
	for _, o := range all {
		out.line("%s: %d documents, %d concepts, %s", out.name(anOntology, o.Name, o.Name), o.FileCount, o.ConceptCount, o.LifecycleState)
	}
	if len(all) == 0 {
		out.line("There are no ontologies yet. ingest makes one.")
	}
	return nil
}

type aboutInput struct {
	Ontology string `json:"ontology" jsonschema:"its name, as ontologies shows it"`
}

func (t toolset) about(ctx context.Context, in aboutInput, out *text) error {
	found, err := t.c.Ontologies.About(ctx, in.Ontology)
	if err != nil {
		return err
	}
	out.line("%s: %d concepts in %d groups.", quoted(in.Ontology), found.Concepts, found.Count)
	shown := min(len(found.Communities), maxCommunities)
	for _, group := range found.Communities[:shown] {
		out.line("%s (%d concepts)", quoted(group.Name), group.Size)
		for _, c := range group.Concepts[:min(len(group.Concepts), perCommunity)] {
			out.line("  %s  id %s", out.concept(c.ConceptID, c.Label), c.ConceptID)
		}
	}
	if shown < found.Count {
		out.line("%d smaller groups are not shown.", found.Count-shown)
	}
	return nil
}

// count says how many.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
