package work

import "github.com/kappagraph/kappa"

// EventSource is the state of one of the ways by which a server learns what other
// servers have committed. A source that is cut off only delays events: jobs with
// subscribers are read every few seconds anyway.
type EventSource struct {
	Name      string `json:"name"` // listen, wal or nats
	Active    bool   `json:"active" doc:"False while another source is used instead"`
	Connected bool   `json:"connected"`
	// Since is when the connection was made or lost, or when the source began without
	// one.
	Since *kappa.Time `json:"since"`
	// Reconnects counts the connections that were lost since the start.
	Reconnects int64 `json:"reconnects"`
	// LagMS is how long the server's last message to itself took, in milliseconds.
	LagMS *float64 `json:"lag_ms"`
	// LagBytes is how much of the write-ahead log was not read yet when it was last
	// measured; only for the source wal.
	LagBytes *int64 `json:"lag_bytes"`
	// Error is why the last connection was lost, without secrets.
	Error string `json:"error,omitempty"`
}
