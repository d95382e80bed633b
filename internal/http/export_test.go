package http

import "time"

// Drain shortens how long a stop waits for requests.
func (l *Limits) Drain(d time.Duration) { l.drain = d }
