package postgres_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/webhooks"
	"github.com/kappagraph/kappa/work"
)

const (
	hookSlots = 4
	hookLease = time.Minute
)

// addWebhook stores an enabled webhook.
func addWebhook(t *testing.T, s *postgres.DB, settings webhooks.Settings) string {
	t.Helper()
	settings.URL = "https://example.com/hook?key=of-the-receiver"
	w := webhooks.Webhook{ID: webhooks.NewID(), Settings: settings.Normal(), Enabled: true}
	must(t, s.Webhooks().AddWebhook(t.Context(), w, access.SystemUserID, webhooks.SealedSecret{WebhookID: w.ID, KeyID: "k", Sealed: []byte("sealed")}))
	return w.ID
}

// told returns what was written for a webhook, oldest first.
func told(t *testing.T, s *postgres.DB, id string) []webhooks.Delivery {
	t.Helper()
	list, err := s.Webhooks().Deliveries(t.Context(), id, webhooks.Filter{Limit: webhooks.MaxLimit})
	must(t, err)
	slices.Reverse(list)
	return list
}

// eventsOf returns the events that were written for a webhook, oldest first.
func eventsOf(t *testing.T, s *postgres.DB, id string) (events []webhooks.Event) {
	t.Helper()
	for _, d := range told(t, s, id) {
		events = append(events, d.Event)
	}
	return events
}

func wantEvents(t *testing.T, s *postgres.DB, id string, want ...webhooks.Event) {
	t.Helper()
	if got := eventsOf(t, s, id); !slices.Equal(got, want) {
		t.Errorf("told of %v, want %v", got, want)
	}
}

// take takes what is to be sent, after storing how attempts have ended.
func take(t *testing.T, s *postgres.DB, ended ...webhooks.Settled) []webhooks.Message {
	t.Helper()
	taken, _, err := s.Webhooks().Exchange(t.Context(), ended, hookSlots, hookLease)
	must(t, err)
	return taken
}

func ok(m webhooks.Message) webhooks.Settled {
	return webhooks.Settle(m, webhooks.Result{OK: true, AnswerStatus: 200}, 0.5)
}

func failed(m webhooks.Message) webhooks.Settled {
	return webhooks.Settle(m, webhooks.Result{AnswerStatus: 500, Answer: "no\x00\xff", Error: "it answered 500"}, 0.5)
}

func TestWebhookEventsOfJobs(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	register(t, s, workerA)
	submit(t, s, "polarity") // before there is a webhook
	_, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{completed(claim(t, s, workerA, 1)[0])})
	must(t, err)
	all, narrow := addWebhook(t, s, webhooks.Settings{}), addWebhook(t, s, webhooks.Settings{Events: []webhooks.Event{webhooks.JobFailed}, JobTypes: []string{"polarity"}})
	other := addWebhook(t, s, webhooks.Settings{JobTypes: []string{"restore"}})
	elsewhere := addWebhook(t, s, webhooks.Settings{Ontologies: []string{"elsewhere"}})

	good, bad := submit(t, s, "polarity"), submit(t, s, "polarity")
	claims := claim(t, s, workerA, 2)
	_, err = s.Claims().Finish(t.Context(), workerA, []work.Outcome{completed(claims[0]), {Claim: claims[1], Status: work.StatusFailed, Error: strings.Repeat("e", 2000)}})
	must(t, err)
	waits := submit(t, s, "polarity", func(j *work.NewJob) { j.AutoApprove = false })
	_, err = s.Jobs().Cancel(t.Context(), waits.ID)
	must(t, err)
	wantEvents(t, s, all, webhooks.JobCompleted, webhooks.JobFailed, webhooks.JobAwaitingApproval, webhooks.JobCancelled)
	wantEvents(t, s, narrow, webhooks.JobFailed)
	wantEvents(t, s, other)
	wantEvents(t, s, elsewhere)

	var data struct {
		JobID  string `json:"job_id"`
		Type   string `json:"job_type"`
		Status string `json:"status"`
		Error  string `json:"error"`
	}
	must(t, json.Unmarshal(told(t, s, narrow)[0].Data, &data))
	if (data.JobID != good.ID && data.JobID != bad.ID) || data.Type != "polarity" || data.Status != "failed" || len(data.Error) != 1000 {
		t.Errorf("told %+v", data)
	}
}

// TestWebhookEventRollsBack: an event is written with what it tells of, or not at all.
func TestWebhookEventRollsBack(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	id := addWebhook(t, s, webhooks.Settings{})
	job := submit(t, s, "polarity", func(j *work.NewJob) { j.AutoApprove = false })
	tx, err := connect(t, dsn).Begin(t.Context())
	must(t, err)
	_, err = tx.Exec(t.Context(), "UPDATE kg_api.jobs SET status = 'cancelled', completed_at = now() WHERE job_id = $1", job.ID)
	must(t, err)
	var n int
	must(t, tx.QueryRow(t.Context(), "SELECT count(*) FROM kg_api.webhook_deliveries").Scan(&n))
	must(t, tx.Rollback(t.Context()))
	if n != 2 {
		t.Errorf("%d events in the transaction, want 2", n)
	}
	wantEvents(t, s, id, webhooks.JobAwaitingApproval)
}

func TestWebhookEventOfBudget(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	register(t, s, workerA)
	id := addWebhook(t, s, webhooks.Settings{})
	submit(t, s, "polarity")
	c := claim(t, s, workerA, 1)[0]
	_, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{{Claim: c, Status: work.StatusAwaitingApproval, Error: "Paused: the budget is reached"}})
	must(t, err)
	wantEvents(t, s, id, webhooks.BudgetReached, webhooks.JobAwaitingApproval)
}

func TestWebhookEventsOfDocuments(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	documents := webhooks.Settings{Events: []webhooks.Event{webhooks.DocumentAdded, webhooks.DocumentChanged, webhooks.DocumentRemoved}}
	all := addWebhook(t, s, documents)
	documents.Ontologies = []string{"elsewhere"}
	elsewhere := addWebhook(t, s, documents)
	path := "/a.md"
	origin := corpus.Origin{SourcePath: &path}
	for _, text := range []string{"A lease ends.", "A lease ends soon."} {
		_, _, err := ingestVersion(t, s, versionOf(text, "leases", origin))
		must(t, err)
	}
	wantEvents(t, s, all, webhooks.DocumentAdded, webhooks.DocumentChanged)
	_, err := connect(t, dsn).Exec(t.Context(), "UPDATE kg_api.documents SET filename = 'b.md', source_path = '/b.md'")
	must(t, err)
	removal := corpus.Removal{DocumentID: corpus.ContentHash([]byte("A lease ends soon.")), Ontology: "leases"}
	if _, _, err := s.Documents().RemoveDocument(t.Context(), removal, knowledge.NewEmbeddings{Model: "test"}); err != nil {
		t.Fatal(err)
	}
	wantEvents(t, s, all, webhooks.DocumentAdded, webhooks.DocumentChanged, webhooks.DocumentChanged, webhooks.DocumentRemoved)
	wantEvents(t, s, elsewhere)
	var data map[string]any
	must(t, json.Unmarshal(told(t, s, all)[1].Data, &data))
	if data["ontology"] != "leases" || data["version"] != 2.0 || data["document_id"] != removal.DocumentID {
		t.Errorf("told %v", data)
	}
}

func TestWebhookEventOfProposal(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	id := addWebhook(t, s, webhooks.Settings{Ontologies: []string{"renamed"}})
	conn := connect(t, dsn)
	for _, statement := range []string{
		"INSERT INTO kg_api.ontologies (name) VALUES ('renamed')",
		"UPDATE kg_api.ontologies SET name = 'leases' WHERE name = 'renamed'",
		"INSERT INTO kg_api.ontology_proposals (kind, ontology, ontology_name, reasoning, made_by, epoch) VALUES ('demotion', 1, 'leases', 'few', 'test', 1), ('demotion', 2, 'others', 'few', 'test', 1)",
	} {
		_, err := conn.Exec(t.Context(), statement)
		must(t, err)
	}
	wantEvents(t, s, id, webhooks.ProposalCreated)
}

// tell writes events of subjects, as the database does.
func tell(t *testing.T, s *postgres.DB, dsn string, subjects ...string) {
	t.Helper()
	conn := connect(t, dsn)
	for i, subject := range subjects {
		_, err := conn.Exec(t.Context(), "SELECT kg_api.tell_webhooks('job.completed', $1, NULL, NULL, jsonb_build_object('n', $2::int))", subject, i)
		must(t, err)
	}
}

func subjectsOf(list []webhooks.Message) (out []string) {
	for _, m := range list {
		out = append(out, string(m.Data))
	}
	slices.Sort(out)
	return out
}

func TestWebhookOrder(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	addWebhook(t, s, webhooks.Settings{})
	tell(t, s, dsn, "a", "a", "a", "b")
	first := take(t, s)
	if got := subjectsOf(first); !slices.Equal(got, []string{`{"n": 0}`, `{"n": 3}`}) {
		t.Fatalf("took %v, want the first of each", got)
	}
	if got := take(t, s); len(got) != 0 {
		t.Fatalf("took %v behind those that are being sent", got)
	}
	of := func(n int) webhooks.Message {
		for _, m := range first {
			if string(m.Data) == fmt.Sprintf(`{"n": %d}`, n) {
				return m
			}
		}
		t.Fatalf("%d was not taken", n)
		return webhooks.Message{}
	}
	if got := take(t, s, failed(of(0)), ok(of(3))); len(got) != 0 {
		t.Fatalf("took %v while the first of its subject waits for its next attempt", subjectsOf(got))
	}
	_, err := connect(t, dsn).Exec(t.Context(), "UPDATE kg_api.webhook_deliveries SET next_at = now() WHERE seq = 1")
	must(t, err)
	again := take(t, s)
	if len(again) != 1 || again[0].Attempt != 2 || again[0].Key != of(0).Key {
		t.Fatalf("took %+v, want the first again", again)
	}
	next := take(t, s, ok(again[0]))
	if got := subjectsOf(next); !slices.Equal(got, []string{`{"n": 1}`}) {
		t.Fatalf("took %v after the end of the first, want the second at once", got)
	}
}

func TestWebhookSlots(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	slow, fast := addWebhook(t, s, webhooks.Settings{}), addWebhook(t, s, webhooks.Settings{})
	var subjects []string
	for i := range 10 {
		subjects = append(subjects, fmt.Sprint(i))
	}
	tell(t, s, dsn, subjects...)
	count := func(list []webhooks.Message) map[string]int {
		n := map[string]int{}
		for _, m := range list {
			n[m.WebhookID]++
		}
		return n
	}
	first := take(t, s)
	if n := count(first); n[slow] != hookSlots || n[fast] != hookSlots {
		t.Fatalf("took %v, want %d of each", n, hookSlots)
	}
	var ended []webhooks.Settled
	for _, m := range first {
		if m.WebhookID == fast {
			ended = append(ended, ok(m))
		}
	}
	for _, some := range [][]webhooks.Settled{ended[:1], ended[1:]} {
		if n := count(take(t, s, some...)); n[slow] != 0 || n[fast] != len(some) {
			t.Errorf("took %v, want %d: a slow webhook holds up another one, or has more than its slots", n, len(some))
		}
	}
}

// TestWebhookClaimsOnce has many servers take at once: none takes what another one has, and the
// end of an attempt whose lease is over changes nothing.
func TestWebhookClaimsOnce(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	id := addWebhook(t, s, webhooks.Settings{})
	tell(t, s, dsn, "a", "b", "c")
	all := make([][]webhooks.Message, 8)
	together(len(all), func(i int) { all[i], _, _ = s.Webhooks().Exchange(t.Context(), nil, hookSlots, time.Millisecond) })
	taken := slices.Concat(all...)
	if len(taken) < 3 {
		t.Fatalf("took %d", len(taken))
	}
	_, err := connect(t, dsn).Exec(t.Context(), "UPDATE kg_api.webhook_deliveries SET next_at = now() - interval '1 s', leased_until = now() - interval '1 s'")
	must(t, err)
	late := taken[0]
	anew := take(t, s)
	if len(anew) != 3 {
		t.Fatalf("took %d after the leases, want 3", len(anew))
	}
	if got := take(t, s, ok(late)); len(got) != 0 {
		t.Errorf("took %v", got)
	}
	for _, d := range told(t, s, id) {
		if d.Status != webhooks.Pending {
			t.Errorf("%s is %s: an end after the lease was stored", d.ID, d.Status)
		}
	}
}

func TestWebhookGivenUpAndReplayed(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	id := addWebhook(t, s, webhooks.Settings{})
	tell(t, s, dsn, "a")
	conn := connect(t, dsn)
	var last webhooks.Message
	for range webhooks.MaxAttempts() {
		_, err := conn.Exec(t.Context(), "UPDATE kg_api.webhook_deliveries SET next_at = now()")
		must(t, err)
		last = take(t, s)[0]
		take(t, s, failed(last))
	}
	d := told(t, s, id)[0]
	if d.Status != webhooks.Failed || d.Attempts != webhooks.MaxAttempts() || d.NextAttempt != nil || d.Answer != "no\uFFFD\uFFFD" || *d.AnswerStatus != 500 {
		t.Fatalf("%+v, want it given up", d)
	}
	w, err := s.Webhooks().Webhook(t.Context(), id)
	must(t, err)
	if w.FailingSince == nil || !w.Enabled {
		t.Errorf("%+v: it fails, and is not disabled yet", w)
	}
	again, err := s.Webhooks().Replay(t.Context(), id, last.Key)
	must(t, err)
	if again.ID != d.ID || again.Status != webhooks.Pending {
		t.Errorf("replayed %+v", again)
	}
	if _, err := s.Webhooks().Replay(t.Context(), id, last.Key); kappa.ErrorCode(err) != kappa.CodeConflict {
		t.Errorf("replaying what waits: %v", err)
	}
	take(t, s, ok(take(t, s)[0]))
	w, err = s.Webhooks().Webhook(t.Context(), id)
	must(t, err)
	if w.FailingSince != nil || told(t, s, id)[0].Status != webhooks.Delivered {
		t.Errorf("%+v after a success", w)
	}
	if _, err := s.Webhooks().Replay(t.Context(), id, webhooks.Key{Seq: last.Key.Seq, Tag: last.Key.Tag ^ 1}); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("replaying one with another tag: %v", err)
	}
}

func TestWebhookReplayFailed(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	id := addWebhook(t, s, webhooks.Settings{})
	tell(t, s, dsn, "a", "b", "c")
	_, err := connect(t, dsn).Exec(t.Context(), `UPDATE kg_api.webhook_deliveries
		SET status = 'failed', next_at = NULL, ended_at = now(), happened_at = now() - seq * interval '1 hour'`)
	must(t, err)
	n, err := s.Webhooks().ReplayFailed(t.Context(), id, time.Now().Add(-150*time.Minute))
	must(t, err)
	if n != 2 || len(take(t, s)) != 2 {
		t.Errorf("replayed %d, want the two of the last two hours and a half", n)
	}
}

func TestWebhookDisabled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		result webhooks.Result
		since  time.Duration
		reason string
	}{
		"it is gone":                {webhooks.Result{Gone: true, AnswerStatus: 410}, 0, "410 Gone"},
		"it has failed for 6 days":  {webhooks.Result{AnswerStatus: 500}, 6 * 24 * time.Hour, "it has only failed since"},
		"it has failed for 4 days":  {webhooks.Result{AnswerStatus: 500}, 4 * 24 * time.Hour, ""},
		"it answers after 6 days":   {webhooks.Result{OK: true, AnswerStatus: 200}, 6 * 24 * time.Hour, ""},
		"it fails for the 1st time": {webhooks.Result{AnswerStatus: 500}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, dsn := newStore(t)
			id, other := addWebhook(t, s, webhooks.Settings{Ontologies: []string{"x"}}), addWebhook(t, s, webhooks.Settings{Ontologies: []string{"y"}})
			conn := connect(t, dsn)
			_, err := conn.Exec(t.Context(), "SELECT kg_api.tell_webhooks('job.failed', n, 'x', 'noop', '{}') FROM unnest('{a,b}'::text[]) AS n")
			must(t, err)
			if c.since > 0 {
				_, err := conn.Exec(t.Context(), "UPDATE kg_api.webhooks SET failing_since = now() - $1::interval WHERE webhook_id = $2", c.since, id)
				must(t, err)
			}
			taken := take(t, s)
			_, disabled, err := s.Webhooks().Exchange(t.Context(), []webhooks.Settled{webhooks.Settle(taken[0], c.result, 0.5)}, hookSlots, hookLease)
			must(t, err)
			w, err := s.Webhooks().Webhook(t.Context(), id)
			must(t, err)
			if w.Enabled != (c.reason == "") || len(disabled) > 0 == w.Enabled || !strings.Contains(w.DisabledReason, c.reason) {
				t.Fatalf("disabled %v, %+v", disabled, w)
			}
			if o, err := s.Webhooks().Webhook(t.Context(), other); err != nil || !o.Enabled || o.FailingSince != nil {
				t.Errorf("another webhook is %+v", o)
			}
			if w.Enabled {
				return
			}
			_, err = conn.Exec(t.Context(), "SELECT kg_api.tell_webhooks('job.failed', 'c', 'x', 'noop', '{}')")
			must(t, err)
			if n := len(told(t, s, id)); n != 2 {
				t.Errorf("%d deliveries: a disabled webhook is told", n)
			}
			w, err = s.Webhooks().ChangeWebhook(t.Context(), id, webhooks.Change{Enabled: new(true)})
			must(t, err)
			if !w.Enabled || w.FailingSince != nil || w.DisabledReason != "" || w.DisabledAt != nil {
				t.Errorf("enabled again: %+v", w)
			}
			if w, err = s.Webhooks().ChangeWebhook(t.Context(), id, webhooks.Change{Enabled: new(false)}); err != nil || w.DisabledReason != webhooks.DisabledByHand {
				t.Errorf("disabled by hand: %+v %v", w, err)
			}
		})
	}
}

func TestWebhookPurge(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	id, gone := addWebhook(t, s, webhooks.Settings{}), addWebhook(t, s, webhooks.Settings{})
	tell(t, s, dsn, "a", "b", "c", "d")
	conn := connect(t, dsn)
	_, err := conn.Exec(t.Context(), `UPDATE kg_api.webhook_deliveries d
		SET status = v.status, next_at = NULL, ended_at = now() - v.hours * interval '1 hour'
		FROM (VALUES (0, 'delivered', 3), (1, 'delivered', 1), (2, 'failed', 3)) AS v (n, status, hours) WHERE d.data ->> 'n' = v.n::text`)
	must(t, err)
	_, err = conn.Exec(t.Context(), "DELETE FROM kg_api.webhooks WHERE webhook_id = $1", gone) // by a server that stopped then
	must(t, err)
	must(t, s.Webhooks().PurgeWebhooks(t.Context(), work.Retention{Completed: 2 * time.Hour, Failed: 4 * time.Hour}))
	if left := told(t, s, id); len(left) != 3 || string(left[0].Data) != `{"n": 1}` {
		t.Errorf("left %+v, want all but the old delivered one", left)
	}
	if left := told(t, s, gone); len(left) != 0 {
		t.Errorf("%d deliveries of a webhook that is gone", len(left))
	}
	must(t, s.Webhooks().DeleteWebhook(t.Context(), id))
	if left := told(t, s, id); len(left) != 0 {
		t.Errorf("%d deliveries of a webhook that was deleted", len(left))
	}
	if err := s.Webhooks().DeleteWebhook(t.Context(), id); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("deleted twice: %v", err)
	}
}

func TestWebhookSecrets(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	id := addWebhook(t, s, webhooks.Settings{})
	secrets := func() (numbers []int) {
		t.Helper()
		found, err := s.Webhooks().WebhookSecrets(t.Context(), []string{id})
		must(t, err)
		for _, secret := range found[id] {
			numbers = append(numbers, secret.Number)
		}
		return numbers
	}
	must(t, s.Webhooks().SetWebhookSecret(t.Context(), webhooks.SealedSecret{WebhookID: id, KeyID: "k", Sealed: []byte("second")}, time.Hour))
	if got := secrets(); !slices.Equal(got, []int{2, 1}) {
		t.Errorf("signs with %v, want the new one first and the old one", got)
	}
	w, err := s.Webhooks().Webhook(t.Context(), id)
	must(t, err)
	if w.OldSecretUntil == nil || w.Owner != "system" {
		t.Errorf("%+v does not say until when the old secret signs, or whose it is", w)
	}
	_, err = connect(t, dsn).Exec(t.Context(), "UPDATE kg_api.webhook_secrets SET valid_until = now() WHERE valid_until IS NOT NULL")
	must(t, err)
	if got := secrets(); !slices.Equal(got, []int{2}) {
		t.Errorf("signs with %v after the time of the old one", got)
	}
}

// TestWebhookSecretsResealed has the secrets of webhooks encrypted anew with the keys of providers,
// all of them or none.
func TestWebhookSecretsResealed(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	id := addWebhook(t, s, webhooks.Settings{})
	n, err := s.Models().ResealKeys(t.Context(), func(k models.SealedKey) (models.SealedKey, error) {
		if k.Provider != webhooks.SecretRow(id) || k.KeyID != "k" || string(k.Sealed) != "sealed" {
			t.Errorf("resealed %+v", k)
		}
		k.KeyID, k.Sealed = "new", []byte("anew")
		return k, nil
	})
	must(t, err)
	found, err := s.Webhooks().WebhookSecrets(t.Context(), []string{id})
	must(t, err)
	if got := found[id][0]; n != 1 || got.KeyID != "new" || string(got.Sealed) != "anew" {
		t.Errorf("%d resealed, %+v", n, got)
	}
	_, err = s.Models().ResealKeys(t.Context(), func(k models.SealedKey) (models.SealedKey, error) {
		return k, kappa.NewError(kappa.CodeUnavailable, "another key")
	})
	if kappa.ErrorCode(err) != kappa.CodeUnavailable || !strings.Contains(kappa.ErrorMessage(err), "kg webhooks rotate "+id+" --keep-old 0") {
		t.Errorf("a secret that cannot be read: %v", err)
	}
}
