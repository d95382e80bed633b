package work

import (
	"encoding/json"
	"time"
)

// PendingJob is a job that waits for its analysis, which a server has claimed.
type PendingJob struct {
	JobID       string
	Filename    string
	ContentHash string
	Data        json.RawMessage

	Owner int           // who submitted it
	Used  time.Duration // how long the owner's documents have been analysed of late
	Tries int           // that failed for a reason that may pass
	Late  bool          // it missed its first limit
}

// AnalysisClaim is the claim of a server to analyse the document of a job. The lease ends by
// itself; after that another server may have the claim.
type AnalysisClaim struct {
	JobID  string
	Server string // a UUID; "" is none
}

// AnalysisRequest asks for claims.
type AnalysisRequest struct {
	Server  string
	Lease   time.Duration
	Most    int
	Without []int // owners whose documents are left
}

// LateRequest asks for the claim of a document that missed its first limit.
type LateRequest struct {
	Server string
	Lease  time.Duration
	Since  time.Duration // how long it must have waited for everybody else's
}

// AnalysisUse is how long documents of an owner were analysed.
type AnalysisUse struct {
	Owner     int
	Documents int
	Took      time.Duration
}
