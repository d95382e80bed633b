package work

import (
	"context"

	"github.com/kappagraph/kappa/internal/check"
)

// SubmissionKey is the key under which a client sends a request that makes something, so
// that sending it again makes nothing more.
type SubmissionKey struct {
	UserID      int
	Key         string
	Fingerprint []byte // differs between different requests
	RequestID   string // of the one that is being answered
}

// Validate returns a kappa.CodeInvalid Error for a key that cannot be one.
func (k SubmissionKey) Validate() error {
	var r check.Rules
	r.Add("header", "Idempotency-Key", checkSubmissionKey(k.Key))
	return r.Err()
}

// KeptSubmission is what is known of the request that a key was used for.
type KeptSubmission struct {
	Fingerprint []byte
	JobID       string // that it made; "" when it made something else
	Status      int    // of the answer; 0 while that is not known
	Answer      []byte
}

type submissionKey struct{}

// WithSubmissionKey returns a context in which what is made is recorded under a key, in the
// transaction that makes it.
func WithSubmissionKey(ctx context.Context, k SubmissionKey) context.Context {
	return context.WithValue(ctx, submissionKey{}, k)
}

// SubmissionKeyOf returns the key of ctx, if it has one.
func SubmissionKeyOf(ctx context.Context) (SubmissionKey, bool) {
	k, ok := ctx.Value(submissionKey{}).(SubmissionKey)
	return k, ok
}
