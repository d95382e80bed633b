package work

// Cleanup is what one pass of the cleanup did.
type Cleanup struct {
	Expired   int `json:"expired"`   // jobs that nobody approved in time
	Recovered int `json:"recovered"` // jobs requeued because they reported no progress
	Jobs      int `json:"jobs_deleted"`
	Contents  int `json:"contents_deleted"`
	Runs      int `json:"schedule_runs_deleted"`
}
