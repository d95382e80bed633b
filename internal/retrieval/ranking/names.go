package ranking

// names are those of the features, in the order in which compare appends them.
var names = []string{
	"bm25", "exact bm25", "rare bm25", "grams",
	"sentence", "exact sentence", "grams of a sentence", "grams of two sentences",
	"span of 20", "span of 8",
	"pairs", "exact pairs", "pairs over a word", "pairs within 8",
	"run", "around", "only around", "document", "length",
	"missing names", "missing numbers", "near", "early",
	// Those below are filled in when all candidates are known.
	"local",
	// And those below say how likely a passage answers, and put none before another.
	"lead", "question terms", "question weight", "small library", "unspaced", "unspaced in a small library", "agreement",
	"cover", "matched", "lacking", "known",
	"lacking in a sentence", "rarest lacking", "rarest",
}

// Where the features are that are filled in afterwards.
const (
	localAt = 23 + iota
	leadAt
	termsAt
	weightAt
	smallAt
	unspacedAt
	unspacedSmallAt
	agreementAt
	coverAt
	matchedAt
	lackingAt
	knownAt
	lackingSentenceAt
	rarestLackingAt
	rarestAt
	nameCount
)

// OrderNames returns the names of the features that order candidates.
func (m *Model) OrderNames() []string { return names[:leadAt:leadAt] }

// Names returns the names of all features, in the order of Ranked.Features. Those that are not
// of the order, at the end, only say how likely a passage answers.
func (m *Model) Names() []string { return names[:nameCount:nameCount] }
