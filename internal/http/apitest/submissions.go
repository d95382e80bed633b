package apitest

import (
	"context"
	"strconv"
	"sync"

	"github.com/kappagraph/kappa/work"
)

// Submissions keeps answers to requests with a key in memory.
type Submissions struct {
	mu   sync.Mutex
	kept map[string]work.KeptSubmission
}

// NewSubmissions returns what knows no key.
func NewSubmissions() *Submissions { return &Submissions{kept: map[string]work.KeptSubmission{}} }

func submissionName(userID int, key string) string { return strconv.Itoa(userID) + " " + key }

// Submission returns what is kept under a key.
func (s *Submissions) Submission(_ context.Context, userID int, key string) (work.KeptSubmission, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, ok := s.kept[submissionName(userID, key)]
	return kept, ok, nil
}

// Put keeps something under a key.
func (s *Submissions) Put(userID int, key string, kept work.KeptSubmission) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[submissionName(userID, key)] = kept
}

// KeepAnswer keeps the first answer to a request.
func (s *Submissions) KeepAnswer(_ context.Context, k work.SubmissionKey, status int, answer []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := submissionName(k.UserID, k.Key)
	if s.kept[name].Status == 0 {
		s.kept[name] = work.KeptSubmission{Fingerprint: k.Fingerprint, Status: status, Answer: append([]byte(nil), answer...)}
	}
	return nil
}
