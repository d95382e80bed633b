package main

import (
	"slices"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
)

const (
	jobPrefix   = "job_"
	jobIDLength = 16
)

// rightEnd is the way in which a principal loses its right.
type rightEnd string

// The ways in which rights end. A lowered role leaves the right to the
// principal's own jobs, every other one leaves nothing.
const (
	endOfToken  rightEnd = "token revoked"
	endOfClient rightEnd = "client deleted"
	endOfSecret rightEnd = "secret rotated"
	endOfUser   rightEnd = "user disabled"
	endOfRole   rightEnd = "role lowered"
)

// rightEnds returns all of them.
func rightEnds() []rightEnd {
	return []rightEnd{endOfToken, endOfClient, endOfSecret, endOfUser, endOfRole}
}

// visited is what one principal was shown, before and after its right ended.
type visited struct {
	number  int
	loses   rightEnd
	subject string          // the token, the client or the user that loses it; see campaign.revocations
	seesAll bool            // until the right ends it may read the jobs of others
	own     map[string]bool // its jobs
	knownAt time.Time       // from here on the campaign knew that the end was committed; zero when it did not come to that
	shown   []delivery
	streams []visitedStream
	refused int // answers that its right does not allow what it asked for
}

// covers reports whether the right that v loses is needed to be shown d.
func (v *visited) covers(d delivery) bool {
	return v.loses != endOfRole || slices.ContainsFunc(d.jobs, func(job string) bool { return !v.own[job] })
}

// delivery is something that a principal was shown: an event, or an answer.
type delivery struct {
	server  int
	what    string
	jobs    []string  // whose it is
	sentAt  time.Time // when it was asked for
	at      time.Time // when it had arrived
	pushed  bool      // an event of a stream
	foreign bool      // it asks for the job of another principal
}

// streamEnding is how a stream ended for its client.
type streamEnding string

// The endings of streams.
const (
	endingCut     streamEnding = "cut"     // the connection ended
	endingOver    streamEnding = "over"    // the job is over
	endingRevoked streamEnding = "revoked" // the documented event said so
	endingLeft    streamEnding = "left"    // the client left
	endingAway    streamEnding = "away"    // the server sent the client away: it could not ask
)

// visitedStream is the life of one stream of a principal.
type visitedStream struct {
	server         int
	path           string
	opened, closed time.Time // from the header of the answer on
	ending         streamEnding
}

// jobIDs finds the jobs that a text names, each once.
func jobIDs(text string) []string {
	var ids []string
	for {
		at := strings.Index(text, jobPrefix)
		if at < 0 {
			return ids
		}
		text = text[at:]
		if id := text[:min(len(text), jobIDLength)]; kappa.IsJobID(id) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		text = text[len(jobPrefix):]
	}
}
