package serve

// readingSettings are how documents are read, and analysed before they are ingested.
type readingSettings struct {
	AnalysisWorkers int
	MostWaiting     int // documents of a user, for their analysis; 0: any number
}

// table returns the settings of reading.
func (r *readingSettings) table() []setting {
	return []setting{
		number("KG_ANALYSIS_WORKERS", 2, 2, 64, "documents that are analysed at once; one of them is always soon free for those who wait", &r.AnalysisWorkers),
		number("KG_MAX_ANALYSES_PER_USER", 10_000, 0, 1_000_000, "documents of a user that may wait for their analysis; 0 is any number", &r.MostWaiting),
	}
}
