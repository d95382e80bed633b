package webhooks

import "time"

// waits are how long a delivery waits after each attempt that failed: ten attempts in about three
// days.
var waits = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

const (
	// DisableAfter is for how long a webhook may only fail before it is disabled.
	DisableAfter = 5 * 24 * time.Hour

	jitter      = 0.1
	mostAskedOf = 24 * time.Hour
)

// MaxAttempts is how often a delivery is tried before it has failed.
func MaxAttempts() int { return len(waits) + 1 }

// Wait returns how long to wait after attempt n, counted from 1, has failed, and false when it
// was the last one. asked is what the receiver asked for, 0 for nothing. random is in [0, 1).
func Wait(n int, asked time.Duration, random float64) (time.Duration, bool) {
	if n > len(waits) {
		return 0, false
	}
	wait := time.Duration(float64(waits[max(n, 1)-1]) * (1 - jitter + 2*jitter*random))
	return max(wait, min(asked, mostAskedOf)), true
}
