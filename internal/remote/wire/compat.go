package wire

import "encoding/json"

// Events on the run channel of the compatible profile.
const (
	EventFetchPlan       = "fetch:plan"
	EventFetchDataclip   = "fetch:dataclip"
	EventFetchCredential = "fetch:credential"
	EventRunLog          = "run:log"
	EventRunBatchLogs    = "run:batch_logs"
	EventRunStart        = "run:start"
	EventStepStart       = "step:start"
	EventStepComplete    = "step:complete"
	EventRunComplete     = "run:complete"
)

// RunJoin is the payload with which a worker joins the channel of a run.
type RunJoin struct {
	Token string `json:"token"`
}

// FetchByID is fetch:dataclip and fetch:credential.
type FetchByID struct {
	ID string `json:"id"`
}

// CompatLog is run:log, and an element of run:batch_logs. What a worker sends there
// besides is stored as it is.
type CompatLog struct {
	Message   json.RawMessage `json:"message"` // a list of anything, or a string
	Source    string          `json:"source"`
	Level     string          `json:"level"`
	Timestamp json.RawMessage `json:"timestamp"`
	StepID    string          `json:"step_id"`
}

// CompatLogs is run:batch_logs.
type CompatLogs struct {
	Logs []CompatLog `json:"logs"`
}

// StepStart is step:start. Its job_id is a step of the plan, not one of ours.
type StepStart struct {
	StepID          string          `json:"step_id"`
	JobID           string          `json:"job_id"`
	Timestamp       json.RawMessage `json:"timestamp"`
	InputDataclipID string          `json:"input_dataclip_id"`
}

// StepComplete is step:complete.
type StepComplete struct {
	StepID              string          `json:"step_id"`
	JobID               string          `json:"job_id"`
	Reason              string          `json:"reason"`
	ErrorType           string          `json:"error_type"`
	ErrorMessage        string          `json:"error_message"`
	Duration            json.RawMessage `json:"duration"`
	Timestamp           json.RawMessage `json:"timestamp"`
	OutputDataclipID    string          `json:"output_dataclip_id"`
	OutputDataclip      json.RawMessage `json:"output_dataclip"` // JSON in a string
	OutputDataclipError json.RawMessage `json:"output_dataclip_error"`
}

// StepAnswer is the answer to step:start and step:complete.
type StepAnswer struct {
	StepID string `json:"step_id"`
}

// CompatComplete is run:complete of the compatible profile.
type CompatComplete struct {
	Reason          string          `json:"reason"`
	ErrorType       string          `json:"error_type"`
	ErrorMessage    string          `json:"error_message"`
	FinalState      json.RawMessage `json:"final_state"`
	FinalDataclipID string          `json:"final_dataclip_id"`
}
