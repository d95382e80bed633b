package questions

// Completeness says whether an answer holds all that was asked for, and if not,
// what is missing and why. The zero value claims nothing: set Complete.
type Completeness struct {
	Complete     bool   `json:"complete"`
	Truncated    bool   `json:"truncated"`     // cut at a limit
	TimedOut     bool   `json:"timed_out"`     // the deadline came first
	FailedChunks int    `json:"failed_chunks"` // parts of the graph that could not be read
	Missing      string `json:"missing"`       // for people: what is missing, and what to do; empty when complete
}
