package http

import (
	"cmp"
	"context"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
)

// maxAnswerMargin is how long before the time for an answer is over a handler that has
// none yet is told to give up: what is written after that time nobody gets, the client
// only sees its connection cut.
const maxAnswerMargin = 5 * time.Second

// errLate ends the context of a handler that gives no answer in time.
var errLate = &kappa.Error{Code: kappa.CodeUnavailable, Message: "The answer took too long; try again later", RetryAfter: 2 * time.Second}

// bound ends the context of a handler some time before its answer would be late, so that
// the answer is 503. The time begins anew when the body is read; see BodyRead.
func (r *Router) bound(c *gin.Context) {
	x := exchangeOf(c.Request.Context())
	ctx, cancel := context.WithCancelCause(c.Request.Context())
	x.late = time.AfterFunc(x.giveUpAfter(), func() { cancel(errLate) })
	defer cancel(nil)
	defer x.late.Stop()
	c.Request = c.Request.WithContext(ctx)
	c.Next()
}

// giveUpAfter returns how long a handler may take.
func (x *exchange) giveUpAfter() time.Duration {
	limit := cmp.Or(x.within, writeTimeout)
	return limit - min(maxAnswerMargin, limit/10)
}

// answerBegins has a handler take as long as it needs from now on: it writes its answer
// piece by piece, and moves the deadline of each.
func (x *exchange) answerBegins() {
	if x.late != nil {
		x.late.Stop()
	}
}

// AnswerBegins is for handlers that write their answer piece by piece, and move the
// deadline of each: the time for the whole answer does not count from now on.
func AnswerBegins(ctx context.Context) { exchangeOf(ctx).answerBegins() }
