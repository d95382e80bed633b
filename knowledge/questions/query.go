package questions

// The ranges and defaults of questions to the graph.
const (
	DefaultSimilarity = 0.6 // threshold of a search unless the caller says otherwise
	LooseSimilarity   = 0.3 // threshold of the second search, which is made when there are few hits
	FewHits           = 3   // below this many hits the second search is made
	MaxRelatedDepth   = 5
	MaxConnectHops    = 10
	MaxPaths          = 5
	SampleEvidence    = 3 // quotes shown with a search hit
)
