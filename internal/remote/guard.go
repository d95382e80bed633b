package remote

import (
	"time"
)

// rate counts frames.
type rate struct {
	second int64
	frames int
	busy   int // seconds in a row with too many
}

func (r *rate) exceeded(now time.Time) bool {
	if s := now.Unix(); s != r.second {
		if r.frames <= framesPerSecond || s != r.second+1 {
			r.busy = 0
		} else {
			r.busy++
		}
		r.second, r.frames = s, 0
	}
	r.frames++
	return r.busy >= busySeconds
}

// guard lets so many claims a second reach the database that find nothing: claims in
// vain are what a worker may repeat without end. One that brings runs is not counted, and
// who is told of work may ask once more.
type guard struct {
	second int64
	claims int
}

const claimsPerSecond = 20

// allow reports whether a worker of so many slot groups may claim now: each of them may once
// when it joins, and again soon after.
func (g *guard) allow(now time.Time, groups int) bool {
	if s := now.Unix(); s != g.second {
		g.second, g.claims = s, 0
	}
	g.claims++
	return g.claims <= max(claimsPerSecond, 2*groups)
}

// grant lets n more claims through in this second.
func (g *guard) grant(n int) { g.claims -= n }
