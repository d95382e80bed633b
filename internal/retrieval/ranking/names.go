package ranking

// names are those of the features, in their order.
var names = []string{
	"bm25", "exact bm25", "grams",
	"covered", "exact covered", "terms covered",
	"sentence", "two sentences", "span of 20", "span of 8", "sentence grams", "two sentences grams", "bm25 squared", "exact sentence",
	"pairs", "pairs about", "exact pairs", "pairs over a word", "pairs within 8",
	"run", "run of words",
	"around", "only around", "document", "length",
	"names", "numbers", "near", "missing", "rarest missing", "early", "local",
	// Those of the question and of the order are for Answers only.
	"score", "lead", "unknown", "question terms", "library size", "question weight",
}

const (
	scoreAt = 32 + iota
	leadAt
	unknownAt
	termsAt
	sizeAt
	weightAt
)
