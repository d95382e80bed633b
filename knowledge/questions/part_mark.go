package questions

// PartMark says whether an ontology says of the graph what it said before.
type PartMark struct {
	// Changed reports that something has happened since an epoch that may have changed it: all
	// but documents that other ontologies have read.
	Changed bool
	Holds   PartHolds
}

// PartHolds is how much an ontology holds at a moment, with what is being read.
type PartHolds struct{ Documents, Chunks, Quotes int64 }
