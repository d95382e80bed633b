// Package annealing scores ontologies, and proposes which of them should become part of
// another one, or which part of one should be an ontology of its own. It changes nothing
// that people have not accepted, unless it is told to; what was executed can be undone.
package annealing
