// Package client is the Go client of Kappa's HTTP API, for the command line and for
// programs. Its answers are the words of the domain, such as work.Job, and where an answer
// is more than one of them, those of package api.
//
// # Services
//
// A [Client] is made with the credentials that [Client.Login] gave. What it can ask for
// stands by subject in its services, as in
//
//	job, err := c.Jobs.Get(ctx, "job_0123456789ab")
//	reply, err := c.Jobs.Approve(ctx, job.ID)
//	found, err := c.Graph.Related(ctx, questions.RelatedQuery{ConceptID: "lane_1"})
//
// A service has the same names for the same things: Get returns one, List a page, All every
// one by pages, Create or Submit makes one, Update or Edit changes one, Delete removes one,
// and PreviewDelete says what that would remove.
//
// # Pages and streams
//
// What comes piece by piece is an iter.Seq2: the pages of [Jobs.All], the events of
// [Jobs.Watch], the sentences of [Graph.Answer]. An error is the last thing that it yields.
//
//	for job, err := range c.Jobs.All(ctx, work.JobFilter{Statuses: []work.Status{work.StatusFailed}}) {
//		if err != nil {
//			return err
//		}
//		fmt.Println(job.ID)
//	}
//
// # What a caller can rely on
//
//   - Every method is safe for concurrent use and ends with its context. Each
//     call is also bounded by a time of its own, a watch by none.
//   - An answer of the server that is not a success is an [*Error]; it wraps a
//     kappa.Error, so kappa.ErrorCode works on it. No answer at all wraps
//     [ErrUnreachable].
//   - A token is fetched when it is needed, kept until shortly before it
//     expires, and fetched anew once when the server refuses it.
//   - A redirect is followed to the same scheme, host and port only.
//   - Nothing the server sends is read beyond a limit.
//   - Nothing is repeated behind the caller's back, apart from a call that the
//     server refused for its token, one whose answer was lost and that the server
//     knows again by its key, and the reconnects of [Jobs.Watch].
package client
