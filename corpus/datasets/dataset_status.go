package datasets

// Status says whether questions to datasets are answered, and behind which walls.
type Status struct {
	Workers    int      `json:"workers"`      // processes that may run at once; 0 = switched off
	Problem    *string  `json:"problem"`      // what keeps datasets from working; null when they work
	Version    string   `json:"version"`      // of DuckDB; empty until a worker has started
	InForce    []string `json:"in_force"`     // the protections of a worker that were set and read back
	NotInForce []string `json:"not_in_force"` // those that this system does not offer, each with its reason
	Figures
}

// Figures count what dataset workers have done since the server started.
type Figures struct {
	Alive     int   `json:"alive"`
	Busy      int   `json:"busy"`
	Tasks     int64 `json:"tasks"`
	Started   int64 `json:"started"`    // workers
	Killed    int64 `json:"killed"`     // workers, at a deadline or because nobody waited any more
	Crashed   int64 `json:"crashed"`    // workers that ended by themselves
	Retired   int64 `json:"retired"`    // workers that had done enough
	DiskBytes int64 `json:"disk_bytes"` // of the files that are kept
}
