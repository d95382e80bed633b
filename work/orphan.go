package work

import "github.com/kappagraph/kappa"

// MaxOrphans is the number of orphans above which a server should be restarted. It is
// below the default size of the pool of connections for jobs, of which each orphan
// may hold one: the server can still claim jobs, and store their outcomes.
const MaxOrphans = 8

// Orphan is a handler that works on although its context ended some seconds ago. Its
// job may be another's by now, and run elsewhere.
type Orphan struct {
	JobID   string     `json:"job_id"`
	JobType string     `json:"job_type"`
	Lane    string     `json:"lane"`
	Attempt int        `json:"attempt"`
	Since   kappa.Time `json:"since"`
	Stack   string     `json:"stack"` // its functions, the innermost first, a line each
}
