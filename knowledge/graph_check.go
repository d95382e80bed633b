package knowledge

import "github.com/kappagraph/kappa"

// GraphCheck is a rule that the graph keeps at every moment.
type GraphCheck struct {
	Name   string `json:"name"`
	Rule   string `json:"rule" doc:"What has to hold"`
	Remedy string `json:"remedy" doc:"What to do where it does not"`
	Repair string `json:"repair" doc:"What a repair does; empty where none is safe"`
}

// GraphChecked is what a check has found.
type GraphChecked struct {
	GraphCheck
	Broken   int64    `json:"broken" doc:"How much breaks the rule"`
	Examples []string `json:"examples" doc:"Some of it"`
}

// GraphRepaired is what a repair has done.
type GraphRepaired struct {
	Name     string `json:"name"`
	Repaired int64  `json:"repaired" doc:"How many rows were put right"`
}

// MaxBrokenShown is how many examples a check gives.
const MaxBrokenShown = 10

const fromBackup = "restore the ontology from a backup, or delete the document and ingest it again"

// GraphChecks returns the rules, in the order in which they are checked: whatever a repair
// of one leaves to another one comes after it.
func GraphChecks() []GraphCheck {
	return []GraphCheck{
		{Name: "references", Rule: "nothing refers to what is gone", Remedy: "restore the database from a backup: somebody has switched its checks off"},
		{Name: "chunk-documents", Rule: "every chunk has its document, with its bytes and its ontology", Remedy: "restore the database from a backup: somebody has switched its checks off"},
		{Name: "content-hashes", Rule: "every document has the bytes that its hash says", Remedy: fromBackup},
		{Name: "chunk-offsets", Rule: "every chunk is as long as its offsets say", Remedy: fromBackup},
		{Name: "quote-offsets", Rule: "every quote stands where its offsets say", Remedy: fromBackup},
		{Name: "passages", Rule: "the passages of a chunk end in it, one after the other, and are what stands there", Remedy: "kg doctor --deep --repair", Repair: "removes those of such chunks, which the server that leads cuts again within a minute"},
		{Name: "type-merges", Rule: "a relationship type is retired by one merge that stands, and does not lead to itself", Remedy: "undo the merge: kg vocab undo"},
		{Name: "retired-types", Rule: "no relationship is of a type that was merged into another one", Remedy: "kg doctor --deep --repair", Repair: "gives them the type that theirs has become, and joins the evidence"},
		{Name: "symmetric-ends", Rule: "a relationship that reads the same in both directions has its ends in order", Remedy: "kg doctor --deep --repair", Repair: "turns them round, and joins the evidence"},
		{Name: "evidence", Rule: "every relationship has evidence", Remedy: "kg doctor --deep --repair, or state it again with kg edges create", Repair: "removes those that nothing shows"},
		{Name: "confidence", Rule: "a relationship is as sure as the best of its evidence", Remedy: "kg doctor --deep --repair", Repair: "gives them the confidence of their best evidence"},
		{Name: "concept-quotes", Rule: "every concept has a quote", Remedy: "kg concepts delete, or kg concepts evidence to show it"},
		{Name: "embeddings", Rule: "every embedding is of the model of the graph", Remedy: "kg admin embeddings reembed"},
		{Name: "epochs", Rule: "nothing is of a later epoch than the graph", Remedy: "restore the database from a backup, or make anew what is named"},
		{Name: "counters", Rule: "what is kept of counts is what a recount finds", Remedy: "undo the merge and merge again: kg vocab undo"},
		{Name: "ontology-counts", Rule: "what is kept of what an ontology holds is what a recount finds", Remedy: "kg doctor --deep --repair", Repair: "counts everything anew"},
		{Name: "job-counts", Rule: "what is kept of how many jobs are over is what a recount finds", Remedy: "kg doctor --deep --repair", Repair: "adds what the counts lack"},
	}
}

// FindGraphCheck returns the check of a name, or a kappa.CodeNotFound Error.
func FindGraphCheck(name string) (GraphCheck, error) {
	for _, c := range GraphChecks() {
		if c.Name == name {
			return c, nil
		}
	}
	return GraphCheck{}, kappa.NewError(kappa.CodeNotFound, "There is no check '"+name+"'")
}
