package artifacts

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// The bounds of dataclips that are uploaded.
const (
	MaxDataclip          = 10 << 20  // bytes, as many as a worker may send of one
	DefaultDataclipQuota = 256 << 20 // bytes of all clips of an account
	maxDataclipList      = 1000
	// DataclipUnusedKept is how long a clip is kept that no job refers to.
	DataclipUnusedKept = 24 * time.Hour
)

// Dataclip is a JSON object that a run is given, uploaded by itself because the data of a
// job has no room for it. Jobs refer to it by its id; it goes with the last of them.
type Dataclip struct {
	ID        string     `json:"dataclip_id"`
	Bytes     int        `json:"size_bytes"`
	Jobs      int        `json:"jobs" doc:"That refer to it"`
	CreatedAt kappa.Time `json:"created_at"`
}

// DataclipList is a page of the dataclips of an account, newest first.
type DataclipList struct {
	Dataclips  []Dataclip `json:"dataclips"`
	Total      int        `json:"total"`
	TotalBytes int64      `json:"total_bytes"`
	QuotaBytes int64      `json:"quota_bytes"`
}

// DataclipPage asks for a page of the dataclips of an account.
type DataclipPage struct{ Limit, Offset int }

// Validate reports every rule that p breaks: a limit of 1 to 1,000, and an offset of up to a
// million.
func (p DataclipPage) Validate() error {
	var r check.Rules
	r.Add("query", "limit", check.Range(p.Limit, 1, maxDataclipList))
	r.Add("query", "offset", check.Range(p.Offset, 0, check.MaxOffset))
	return r.Err()
}

// NewDataclipID returns an id that no other clip has.
func NewDataclipID() string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails
	return "clip_" + hex.EncodeToString(b[:])
}

var dataclipIDPattern = regexp.MustCompile(`^clip_[0-9a-f]{24}$`)

// IsDataclipID reports whether s has the form of the id of an uploaded dataclip.
func IsDataclipID(s string) bool { return dataclipIDPattern.MatchString(s) }

// DataclipReferences returns the ids of the uploaded dataclips that the data of a job refers
// to, once each: the texts among its member dataclips, where the others are objects.
func DataclipReferences(data json.RawMessage) []string {
	if !bytes.Contains(data, []byte(`"dataclips"`)) {
		return nil
	}
	var d struct {
		Dataclips map[string]json.RawMessage `json:"dataclips"`
	}
	if json.Unmarshal(data, &d) != nil {
		return nil
	}
	var ids []string
	for _, raw := range d.Dataclips {
		if id := DataclipReference(raw); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// DataclipReference returns the id that stands for an uploaded dataclip in the data of a
// job; "" for anything else.
func DataclipReference(raw json.RawMessage) string {
	var id string
	if json.Unmarshal(raw, &id) != nil || !IsDataclipID(id) {
		return ""
	}
	return id
}
