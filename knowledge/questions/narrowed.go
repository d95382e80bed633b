package questions

import "github.com/kappagraph/kappa/knowledge"

// Narrowed is what one ontology alone says of a concept.
type Narrowed struct {
	Sources   int // chunks that show it
	Instances int // quotes of it
	Evidence  []knowledge.Evidence

	// What it is called there. What only documents of other ontologies call it is not here.
	Label       string
	Description *string
	SearchTerms []string
}

// Rename returns s as one ontology shows it: with its names and its counts.
func (n Narrowed) Rename(s knowledge.ConceptSummary) knowledge.ConceptSummary {
	s.Label, s.Description, s.SearchTerms = n.Label, n.Description, n.SearchTerms
	s.Sources, s.Instances = n.Sources, n.Instances
	return s
}

// Narrow leaves of s what one ontology says: its names, its counts and its quotes, and none
// of what it does not show. What is measured in the whole graph, as grounding, stays.
func (s *ShownConcepts) Narrow(ontology string, within map[int]Narrowed) {
	for id, summary := range s.Summaries {
		n, shown := within[id]
		if !shown {
			delete(s.Summaries, id)
			continue
		}
		s.Summaries[id] = n.Rename(summary)
	}
	s.Ontologies, s.Evidence = map[int][]string{}, map[int][]knowledge.Evidence{}
	for id, n := range within {
		s.Ontologies[id], s.Evidence[id] = []string{ontology}, n.Evidence
	}
}
