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

// Answer is what a child says of the task with the same ID: first that it begins, then how
// it ended. A child that ends before the first of the two has done nothing of the task.
type Answer struct {
	ID     uint64 `json:"id"`
	Begins bool   `json:"begins,omitempty"` // it is ready for the task, and nothing else is said
	Body   any    `json:"body,omitempty"`   // as in a Request

	RSSBytes int64 `json:"rss_bytes,omitempty"` // of the child after the task
}
