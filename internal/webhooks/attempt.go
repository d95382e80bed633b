package webhooks

import (
	"context"
	"errors"
	"fmt"
	nethttp "net/http"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/webhooks"
)

// Answer is what a receiver has answered.
type Answer struct {
	Status int
	Header nethttp.Header
	Text   []byte // its first bytes
}

// Post sends a body to an address and returns the answer, of whatever status, with at most so
// many bytes of it. It follows no redirect.
type Post = func(ctx context.Context, url string, header nethttp.Header, body []byte, most int64) (Answer, error)

// attempt sends a message once, signed with the secrets.
func attempt(ctx context.Context, post Post, secrets []string, m webhooks.Message) webhooks.Result {
	began := time.Now()
	r := try(ctx, post, secrets, m)
	r.Took = time.Since(began)
	return r
}

func try(ctx context.Context, post Post, secrets []string, m webhooks.Message) webhooks.Result {
	body, err := webhooks.Body(m.Event, m.At, m.Data)
	if err != nil {
		return webhooks.Result{Error: "what is told cannot be encoded: " + err.Error()}
	}
	now := time.Now()
	signature, err := webhooks.Sign(secrets, m.Key.ID(), now, body)
	if err != nil {
		return webhooks.Result{Error: "it cannot be signed: " + err.Error()}
	}
	header := nethttp.Header{}
	header.Set("Content-Type", "application/json")
	header.Set(webhooks.HeaderID, m.Key.ID())
	header.Set(webhooks.HeaderTimestamp, webhooks.Timestamp(now))
	header.Set(webhooks.HeaderSignature, signature)
	answer, err := post(ctx, m.URL, header, body, webhooks.MaxAnswer)
	if err != nil {
		return webhooks.Result{Error: kappa.ErrorMessage(err)}
	}
	return resultOf(answer, now)
}

// resultOf reads an answer: every 2xx takes the event, and nothing else does.
func resultOf(a Answer, now time.Time) webhooks.Result {
	r := webhooks.Result{AnswerStatus: a.Status, Answer: string(a.Text)}
	switch {
	case a.Status >= 200 && a.Status < 300:
		r.OK = true
	case a.Status >= 300 && a.Status < 400:
		r.Error = fmt.Sprintf("it answered with a redirect (%d), which is not followed: give the webhook the address that it leads to", a.Status)
	case a.Status == nethttp.StatusGone:
		r.Gone, r.Error = true, "it answered 410 Gone: it wants no more"
	default:
		r.Error = strings.TrimSpace(fmt.Sprintf("it answered %d %s", a.Status, nethttp.StatusText(a.Status)))
		r.RetryAfter = retryAfter(a.Header.Get("Retry-After"), now)
	}
	return r
}

// retryAfter reads a Retry-After, in seconds or as a date; 0 is none.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(text); err == nil {
		return time.Duration(min(max(seconds, 0), 7*24*3600)) * time.Second
	}
	if at, err := nethttp.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// errNoSecret is for a webhook whose secret nobody can read here.
var errNoSecret = errors.New("no secret")

// opened decrypts secrets. One that cannot be read is left out where another one signs: a server
// that lacks a key goes on with what it has.
func opened(vault vault, secrets []webhooks.SealedSecret) (list []string, err error) {
	err = errNoSecret
	for _, s := range secrets {
		text, openErr := vault.Open(s.Row(), s.KeyID, s.Sealed)
		if openErr != nil {
			err = openErr
			continue
		}
		list = append(list, text)
	}
	if len(list) > 0 {
		return list, nil
	}
	return nil, &kappa.Error{Code: kappa.CodeUnavailable, Err: err, Message: "the secret of the webhook cannot be read on this server: copy the file that KG_SECRETS_KEY_FILE names from the server that made it, or give it a new one: kg webhooks rotate"}
}
