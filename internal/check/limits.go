package check

// Limits that rules of several packages share.
const (
	MaxOffset  = 1_000_000 // of any list
	MaxJobType = 100

	MaxSearchLimit = 100
	MaxQuery       = 2000
	MaxConceptID   = 200
	MaxTypes       = 100 // in one question

	MaxTypeName = 100
)
