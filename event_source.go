package kappa

// EventSource is how a server hears of what is committed elsewhere, and how
// well. A source that is cut off costs time and nothing else: watched jobs are
// read every few seconds anyway.
type EventSource struct {
	Name      string `json:"name"` // listen, wal or nats
	Active    bool   `json:"active" doc:"False while another source stands in for it"`
	Connected bool   `json:"connected"`
	// Since is when it was connected, when the connection was lost, or when it
	// began to run without one.
	Since *Time `json:"since"`
	// Reconnects counts the connections that were lost since the start.
	Reconnects int64 `json:"reconnects"`
	// LagMS is how long the last message to itself took, in milliseconds.
	LagMS *float64 `json:"lag_ms"`
	// LagBytes is how much of the write-ahead log was not yet read at the last
	// look; only of the source wal.
	LagBytes *int64 `json:"lag_bytes"`
	// Error is why the last connection was lost, without secrets.
	Error string `json:"error,omitempty"`
}
