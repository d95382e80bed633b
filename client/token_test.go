package client

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

func TestTokenIsShared(t *testing.T) {
	s := newFakeServer(t)
	s.HandleFunc("GET /jobs", s.authorized(func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, []any{}) }))
	c := s.client(t)
	var calls sync.WaitGroup
	for range 20 {
		calls.Go(func() {
			if _, err := c.Jobs.List(t.Context(), work.JobFilter{}); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	if got := s.tokensFetched(); got != 1 {
		t.Errorf("20 calls fetched %d tokens, want 1", got)
	}
}

func TestRefusedTokenIsReplacedOnce(t *testing.T) {
	t.Run("the call succeeds with the next token and repeats its body", func(t *testing.T) {
		s := newFakeServer(t)
		s.refuse("token-1")
		s.HandleFunc("POST /jobs", s.authorized(func(w http.ResponseWriter, r *http.Request) {
			if r.ContentLength < 10 {
				t.Errorf("the repeated call has %d bytes", r.ContentLength)
			}
			writeJSON(w, map[string]any{"job_id": "job_0123456789ab", "status": "pending"})
		}))
		reply, err := s.client(t).Jobs.Submit(t.Context(), work.NewJob{Type: "noop"})
		if err != nil || reply.JobID != "job_0123456789ab" {
			t.Errorf("got %+v, %v", reply, err)
		}
	})
	t.Run("a second refusal is the answer", func(t *testing.T) {
		s := newFakeServer(t)
		calls := 0
		s.HandleFunc("GET /jobs", func(w http.ResponseWriter, _ *http.Request) {
			calls++
			writeProblem(w, http.StatusUnauthorized, "Could not validate credentials")
		})
		_, err := s.client(t).Jobs.List(t.Context(), work.JobFilter{})
		if kappa.ErrorCode(err) != kappa.CodeUnauthenticated || calls != 2 {
			t.Errorf("%d calls and error %v, want 2 and unauthenticated", calls, err)
		}
	})
}

func TestTokenIsReplacedBeforeItExpires(t *testing.T) {
	for _, tt := range []struct {
		name      string
		expiresIn int // seconds
		goodFor   time.Duration
	}{
		{"an hour: a minute before", 3600, 59 * time.Minute},
		{"ten seconds: one second before", 10, 9 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fetched := 0
				c := fakeTransport(t, func(r *http.Request) *http.Response {
					fetched++
					return answer(http.StatusOK, map[string]any{"access_token": "t", "expires_in": tt.expiresIn})
				})
				use := func() {
					if _, err := c.tokens.token(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				use()
				time.Sleep(tt.goodFor - time.Millisecond)
				use()
				if fetched != 1 {
					t.Fatalf("%d tokens fetched too early", fetched)
				}
				time.Sleep(2 * time.Millisecond)
				use()
				if fetched != 2 {
					t.Errorf("%d tokens fetched, want a second one now", fetched)
				}
			})
		})
	}
}

func TestWaitingForATokenEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		c := fakeTransport(t, func(*http.Request) *http.Response {
			<-release
			return answer(http.StatusOK, map[string]any{"access_token": "t", "expires_in": 3600})
		})
		go func() { _, _ = c.tokens.token(t.Context()) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.tokens.token(ctx); err == nil {
			t.Error("the second caller got a token that nobody gave")
		}
		close(release)
		synctest.Wait()
	})
}

func TestTokenErrors(t *testing.T) {
	t.Run("wrong secret", func(t *testing.T) {
		s := newFakeServer(t)
		c, err := New(Config{BaseURL: s.url, ClientID: "kg-cli-admin-1", ClientSecret: "old"})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, err = c.Jobs.List(t.Context(), work.JobFilter{})
		if kappa.ErrorCode(err) != kappa.CodeUnauthenticated || strings.Contains(err.Error(), "old") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("an answer without a token", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := fakeTransport(t, func(*http.Request) *http.Response { return answer(http.StatusOK, map[string]any{}) })
			if _, err := c.Jobs.List(t.Context(), work.JobFilter{}); err == nil {
				t.Error("no error")
			}
		})
	})
}
