package artifacts

// TypeCleanup is the job type that removes artifacts whose time has ended.
const TypeCleanup = "artifact_cleanup"

// Figures count the artifacts.
type Figures struct {
	Total    int `json:"total_artifacts"`
	WithFile int `json:"garage_stored"`
	Inline   int `json:"inline_stored"`
	Expired  int `json:"currently_expired"`
}

// Expired is one that may be deleted.
type Expired struct {
	ID      int
	HasFile bool
}
