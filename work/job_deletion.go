package work

import (
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// JobSelection selects jobs for a bulk delete. The zero value selects all.
type JobSelection struct {
	Status    Status        // "" = any
	System    bool          // only jobs of the system
	OlderThan time.Duration // only jobs created longer ago
	Type      string        // "" = any
}

// JobDeletion is what a bulk delete deleted, or would delete.
type JobDeletion struct {
	Count   int          // all of them
	Jobs    []DeletedJob // before a deletion only: the newest, at most MaxDeletionList
	Running int          // selected jobs that are left alone because they run
}

// MaxDeletionList is how many jobs the preview of a bulk delete shows.
const MaxDeletionList = 1000

// DeletedJob is a job as the preview of a bulk delete shows it.
type DeletedJob struct {
	JobID     string     `json:"job_id"`
	JobType   string     `json:"job_type"`
	Status    Status     `json:"status"`
	Ontology  *string    `json:"ontology"`
	CreatedAt kappa.Time `json:"created_at"`
}

// ages are the words for how old a job must be.
var ages = map[string]time.Duration{"1h": time.Hour, "24h": 24 * time.Hour, "7d": 7 * 24 * time.Hour, "30d": 30 * 24 * time.Hour}

// ParseAge reads how old a job must be to be deleted: 1h, 24h, 7d or 30d. ""
// is any age. It returns a kappa.CodeInvalid Error for any other word.
func ParseAge(word string) (time.Duration, error) {
	if age, ok := ages[word]; ok || word == "" {
		return age, nil
	}
	var r check.Rules
	r.Add("query", "older_than", check.OneOf(word, "1h", "24h", "7d", "30d"))
	return 0, r.Err()
}
