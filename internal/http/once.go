package http

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"io"
	nethttp "net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

const (
	keyHeader      = "Idempotency-Key"
	replayedHeader = "Idempotent-Replayed" // true on an answer that was given before

	maxKeptAnswer  = 1 << 20
	keepAnswerFor  = 5 * time.Second // to store it
	awaitAnswerFor = 2 * time.Second // of a request under the same key that is being answered
	awaitEvery     = 50 * time.Millisecond
)

// submissions keeps the answers to requests that came with a key. What such a request
// makes is recorded by whoever makes it, in the same transaction: see
// work.WithSubmissionKey. So a server may stop between the two, and nothing is made twice.
type submissions interface {
	// Submission returns what a user used a key for; false when it is new.
	Submission(ctx context.Context, userID int, key string) (work.KeptSubmission, bool, error)
	// KeepAnswer keeps the answer to the request of a key, unless there is one.
	KeepAnswer(ctx context.Context, k work.SubmissionKey, status int, answer []byte) error
}

// once has a route with a JSON body answer each key once; readJSON comes before it.
func (r *Router) once(c *gin.Context) {
	if c.GetHeader(keyHeader) == "" {
		return
	}
	body, err := io.ReadAll(c.Request.Body)
	if err != nil {
		r.fail(c, bodyError(err))
		return
	}
	c.Request.Body = io.NopCloser(bytes.NewReader(body))
	err = r.Once(c, canonical(body), func() error {
		c.Next()
		return nil
	})
	if err != nil {
		r.fail(c, err)
	}
}

// canonical returns JSON in the one form that all its spellings have; what is not JSON
// stays as it is.
func canonical(body []byte) []byte {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return body
	}
	return EncodeJSON(v)
}

// Once has answer answer a request that makes something, unless its Idempotency-Key came
// before: then the answer is the first one. content is what the request asks for besides
// its path and its query. It returns a CodeInvalid Error for a key that cannot be one or
// came with another request, a CodeConflict Error while the first answer is not known, and
// answer's error. Only successes are kept: what failed may be sent again.
func (r *Router) Once(c *gin.Context, content []byte, answer func() error) error {
	x := exchangeOf(c.Request.Context())
	k := work.SubmissionKey{UserID: x.principal.User.ID, Key: c.GetHeader(keyHeader), RequestID: randomID()}
	if k.Key == "" {
		return answer()
	}
	if err := k.Validate(); err != nil {
		return err
	}
	k.Fingerprint = fingerprint(c.Request, content)
	kept, err := r.keptAnswer(c.Request.Context(), k)
	if err != nil {
		return err
	}
	if kept.Status != 0 {
		c.Header(replayedHeader, "true")
		c.Data(kept.Status, JSONType, kept.Answer)
		c.Abort()
		return nil
	}
	c.Request = c.Request.WithContext(work.WithSubmissionKey(c.Request.Context(), k))
	copied := &answerCopy{ResponseWriter: c.Writer}
	c.Writer = copied
	err = answer()
	c.Writer = copied.ResponseWriter
	if status := c.Writer.Status(); err == nil && status >= 200 && status < 300 && copied.body.Len() <= maxKeptAnswer {
		r.keepAnswer(c.Request.Context(), k, status, copied.body.Bytes())
	}
	return err
}

// keptAnswer returns the answer that a key has, with Status 0 when the request is to be
// answered. It waits for one that is on its way. A job that was submitted under the key is
// found again by whoever submits it, and the answer made anew.
func (r *Router) keptAnswer(ctx context.Context, k work.SubmissionKey) (work.KeptSubmission, error) {
	deadline := time.Now().Add(awaitAnswerFor)
	for {
		kept, known, err := r.submissions.Submission(ctx, k.UserID, k.Key)
		switch {
		case err != nil || !known:
			return work.KeptSubmission{}, err
		case subtle.ConstantTimeCompare(kept.Fingerprint, k.Fingerprint) == 0:
			return kept, errKeyReused(kept.JobID)
		case kept.Status != 0:
			return kept, nil
		case time.Now().After(deadline) && kept.JobID != "":
			return kept, nil
		case time.Now().After(deadline):
			return kept, kappa.NewError(kappa.CodeConflict, "The request with this "+keyHeader+" was carried out, and its answer was lost; look for what it made before you send it with a new key")
		}
		select {
		case <-ctx.Done():
			return kept, ctx.Err()
		case <-time.After(awaitEvery):
		}
	}
}

func errKeyReused(jobID string) error {
	rule := "was used for another request"
	if jobID != "" {
		rule = "was used for another submission, of job " + jobID
	}
	return kappa.Invalid(kappa.FieldError{In: "header", Name: keyHeader, Rule: rule + "; send a new one with each"})
}

// keepAnswer keeps an answer, also when the client has gone.
func (r *Router) keepAnswer(ctx context.Context, k work.SubmissionKey, status int, answer []byte) {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepAnswerFor)
	defer cancel()
	if err := r.submissions.KeepAnswer(within, k, status, answer); err != nil {
		r.log.WarnContext(ctx, "the answer to a submission was not kept", "request", exchangeOf(ctx).id, "err", err)
	}
}

// fingerprint differs between requests that ask for different things.
func fingerprint(r *nethttp.Request, content []byte) []byte {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(r.Method), []byte(r.URL.EscapedPath()), []byte(r.URL.Query().Encode()), content} {
		sum := sha256.Sum256(part)
		_, _ = h.Write(sum[:])
	}
	return h.Sum(nil)
}

// answerCopy copies the body of an answer.
type answerCopy struct {
	gin.ResponseWriter
	body bytes.Buffer
}

// Write writes on, and copies as much as may be kept.
func (w *answerCopy) Write(p []byte) (int, error) {
	if w.body.Len() <= maxKeptAnswer {
		_, _ = w.body.Write(p)
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap returns the writer itself, for deadlines.
func (w *answerCopy) Unwrap() nethttp.ResponseWriter { return w.ResponseWriter }

// documentKey says in the description of a route that it takes a key.
func documentKey(op *huma.Operation) {
	for _, p := range op.Parameters {
		if p.In == "header" && p.Name == keyHeader {
			return
		}
	}
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: keyHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString},
		Description: "Makes sending again safe: the same request with the same key gets the first answer, for 24 hours. At most 255 characters",
	})
}
