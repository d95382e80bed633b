package kappa

import (
	"encoding/base64"
	"encoding/json"
	"math"
)

// Cursor is a place in a list: what comes after it is the next page, whatever was added
// or removed meanwhile. The zero Cursor is the begin of every list.
type Cursor struct {
	List string  `json:"l"` // that it is a place in
	Keys []int64 `json:"k"` // by which the list is sorted
	ID   string  `json:"i,omitempty"`
	Of   string  `json:"f,omitempty"` // the filter of the list, where it is told apart from others
}

const maxCursor = 500 // characters

// String returns the cursor as clients get it: opaque, and "" for the begin.
func (c Cursor) String() string {
	if c.IsZero() {
		return ""
	}
	text, _ := json.Marshal(c) //nolint:errchkjson // can always be encoded
	return base64.RawURLEncoding.EncodeToString(text)
}

// IsZero reports whether c is the begin of a list.
func (c Cursor) IsZero() bool { return c.List == "" }

// Key returns one of the keys, and otherwise at the begin of a list.
func (c Cursor) Key(i int, otherwise int64) int64 {
	if c.IsZero() {
		return otherwise
	}
	return c.Keys[i]
}

// ParseCursor reads a cursor of a list that is sorted by so many keys, each at least 0; ""
// is the begin. It returns false for one that is none, or of another list.
func ParseCursor(list, text string, keys int) (Cursor, bool) {
	if text == "" {
		return Cursor{}, true
	}
	raw, err := base64.RawURLEncoding.DecodeString(text[:min(len(text), maxCursor)])
	if err != nil {
		return Cursor{}, false
	}
	var c Cursor
	if json.Unmarshal(raw, &c) != nil || c.List != list || len(c.Keys) != keys || c.ID != "" && !IsJobID(c.ID) {
		return Cursor{}, false
	}
	for _, k := range c.Keys {
		if k < 0 || k > math.MaxInt64/1024 {
			return Cursor{}, false
		}
	}
	return c, true
}

// The lists that have cursors.
const (
	ListJobs      = "jobs"
	ListAudit     = "audit"
	ListDocuments = "documents"
	ListSources   = "sources"
	ListArtifacts = "artifacts"
	ListConcepts  = "concepts"
	ListEdges     = "edges"
	ListFiles     = "files"
	ListFound     = "found"
	ListOutcomes  = "outcomes"
	ListQuotes    = "quotes"

	ListSavedQueries = "queries"
	ListDeliveries   = "deliveries"
)

// By how many keys each is sorted.
const (
	JobKeys      = 1
	AuditKeys    = 1
	DocumentKeys = 1
	SourceKeys   = 3
	ArtifactKeys = 1
	ConceptKeys  = 3
	EdgeKeys     = 3
	FileKeys     = 1
	FoundKeys    = 2
	OutcomeKeys  = 2
	QuoteKeys    = 2

	SavedQueryKeys = 1
	DeliveryKeys   = 1
)
