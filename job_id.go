package kappa

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"regexp"
	"sync"
	"time"
)

const (
	jobIDBits       = 48 // 12 hexadecimal digits
	jobIDSecondBits = 27 // of them for the second, which comes round every 4 years and 3 months
	jobIDCountBits  = jobIDBits - jobIDSecondBits
)

// jobIDs makes job ids. They rise with the time, so that jobs of the same age lie
// side by side in the indexes of the database: ids without an order would have each
// claim and each end of a job touch another page. Within a second they count from a
// random number, so that servers hardly ever make the same one.
type jobIDs struct {
	now func() time.Time

	mu     sync.Mutex
	second uint64 // of the last one
	last   uint64
}

// next returns the next id as a number.
func (g *jobIDs) next() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	second := uint64(g.now().Unix())
	if second == g.second {
		g.last++
	} else {
		var b [8]byte
		_, _ = rand.Read(b[:]) // never fails
		g.second, g.last = second, second<<jobIDCountBits|binary.NativeEndian.Uint64(b[:])>>(64-jobIDCountBits)
	}
	return g.last & (1<<jobIDBits - 1)
}

var newJobIDs = jobIDs{now: time.Now}

// NewJobID returns a new job id: "job_" and 12 hexadecimal digits. The database
// refuses the rare one that another server has made, too, and the submission is
// then to be repeated with the next.
func NewJobID() string { return fmt.Sprintf("job_%012x", newJobIDs.next()) }

var jobIDPattern = regexp.MustCompile(`^job_[0-9a-f]{12}$`)

// IsJobID reports whether s has the form of a job id.
func IsJobID(s string) bool { return jobIDPattern.MatchString(s) }
