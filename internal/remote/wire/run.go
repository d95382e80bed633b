package wire

import "encoding/json"

// RunProgress is run:progress. The newest replaces one that was not sent yet.
type RunProgress struct {
	RunKey
	Progress json.RawMessage `json:"progress"` // as in the answers about a job
}

// LogLine is a line of a run's log.
type LogLine struct {
	Level   string `json:"level"`
	Message string `json:"message"`
}

// RunLog is run:log. N counts the messages of an attempt; gaps in it are shown.
type RunLog struct {
	RunKey
	N     int64     `json:"n"`
	Lines []LogLine `json:"lines"`
}

// RunFetch is run:fetch, for data that did not come with the claim.
type RunFetch struct{ RunKey }

// RunData is the answer to run:fetch.
type RunData struct {
	Data json.RawMessage `json:"data"`
}

// RunEvent is what each durable event of a run has: which run, and the number of the
// event, which counts from 1 in each attempt.
type RunEvent struct {
	RunKey
	Seq int64 `json:"seq"`
}

// RunCheckpoint is run:checkpoint.
type RunCheckpoint struct {
	RunEvent
	Checkpoint json.RawMessage `json:"checkpoint"`
	Progress   json.RawMessage `json:"progress,omitempty"`
}

// RunComplete is run:complete of the extended profile.
type RunComplete struct {
	RunEvent
	Result json.RawMessage `json:"result"`
	Usage  json.RawMessage `json:"usage,omitempty"`
}

// RunError says why a run failed.
type RunError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// RunFail is run:fail.
type RunFail struct {
	RunEvent
	Error     RunError `json:"error"`
	Retry     bool     `json:"retry"`
	RetryMS   int64    `json:"retry_ms,omitempty"`
	Cancelled bool     `json:"cancelled,omitempty"`
}

// RunRelease is run:release: the attempt is handed back.
type RunRelease struct {
	RunEvent
	Reason     string          `json:"reason"`
	Checkpoint json.RawMessage `json:"checkpoint,omitempty"`
}

// RunAnswer is the answer to a durable event: the highest number that is stored and,
// to one that ends the run, what the job became.
type RunAnswer struct {
	Acked int64  `json:"acked"`
	State string `json:"state,omitempty"` // completed, failed, cancelled or approved
}
