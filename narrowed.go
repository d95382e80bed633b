package kappa

// Narrowed is what one ontology alone says of a concept.
type Narrowed struct {
	Sources   int // chunks that show it
	Instances int // quotes of it
	Evidence  []Evidence
}

// Narrow leaves of s what one ontology says: its name, its counts and its quotes. What is
// measured in the whole graph, as grounding, stays.
func (s *ShownConcepts) Narrow(ontology string, within map[int]Narrowed) {
	for id, summary := range s.Summaries {
		summary.Sources, summary.Instances = within[id].Sources, within[id].Instances
		s.Summaries[id] = summary
	}
	s.Ontologies, s.Evidence = map[int][]string{}, map[int][]Evidence{}
	for id, n := range within {
		s.Ontologies[id], s.Evidence[id] = []string{ontology}, n.Evidence
	}
}
