package frame

// Hello is the first frame of a child, once its walls stand.
type Hello struct {
	Version    string   `json:"version"`      // of what does its work
	InForce    []string `json:"in_force"`     // the protections that were set and read back
	NotInForce []string `json:"not_in_force"` // those that this system does not offer, each with its reason
}

// Request is a task.
type Request struct {
	ID   uint64 `json:"id"`
	Body any    `json:"body"` // what is asked; to read one, a pointer to what it is decoded into
}

// Done is how much is done of a task.
type Done struct {
	Steps int `json:"steps"`
	Of    int `json:"of"`
}

// Answer is what a child says of the task with the same ID: first that it begins, then how much
// of it is done, where somebody asked for that, then how it ended. A child that ends before the first of the two has done nothing of the task.
type Answer struct {
	ID     uint64 `json:"id"`
	Begins bool   `json:"begins,omitempty"` // it is ready for the task, and nothing else is said
	Body   any    `json:"body,omitempty"`   // as in a Request

	// Done says how much is done of the task, and nothing else; it grows.
	Done *Done `json:"done,omitempty"`

	// TrailBytes follow the frame as they are: what is too long for a document in JSON.
	TrailBytes int `json:"trail_bytes,omitempty"`

	RSSBytes int64 `json:"rss_bytes,omitempty"` // of the child after the task
}
