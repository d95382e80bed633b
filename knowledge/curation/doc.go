// Package curation has the words of keeping the graph in order: which ontologies should be joined or
// parted, and which types of relationships should be one.
//
// An annealing ([Annealing]) measures every ontology: how much it holds, how well that hangs together, and
// how much of it other ones hold as well ([Measures], [Scores], [Affinity]). What protects an ontology is its
// mass and its coherence; an ontology that is hardly protected is proposed for demotion, which joins it
// to another one. A concept with very many relationships is proposed for promotion to an ontology of its
// own. [Annealing.ProposeDemotion] and its likes are these rules, and take nothing but numbers.
//
// A [Proposal] is decided by a person, or by the settings of the annealing. Once it is approved it is
// executed in steps, each a transaction ([ProposalStep]), and can be undone.
//
// A [Consolidation] does the same for types of relationships: it looks for pairs that mean the same, makes one
// of those that certainly do, and leaves the others to a person.
//
// internal/annealing and internal/vocabulary find the candidates, and internal/jobs has the job types.
package curation
