package corpus

// ReadingStatus says how documents are read, and behind which walls.
type ReadingStatus struct {
	Workers    int      `json:"workers" doc:"Processes that read at once; 0 reads documents in the server"`
	Problem    *string  `json:"problem" doc:"What keeps documents from being read; null when they are"`
	InForce    []string `json:"in_force" doc:"The protections of such a process that were set and read back"`
	NotInForce []string `json:"not_in_force" doc:"Those that this system does not offer, each with its reason"`

	Alive   int   `json:"alive"`
	Busy    int   `json:"busy"`
	Tasks   int64 `json:"tasks" doc:"Documents"`
	Started int64 `json:"started" doc:"Processes"`
	Killed  int64 `json:"killed" doc:"At a deadline, or because nobody waited any more"`
	Crashed int64 `json:"crashed" doc:"Those that ended by themselves, or held too much memory"`
	Retired int64 `json:"retired" doc:"Those that had done enough"`
}
